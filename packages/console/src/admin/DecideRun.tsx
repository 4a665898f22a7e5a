import { type ReactElement, useState } from "react";

import { asApiError } from "../api/client.ts";
import { useAnnounce } from "../api/context.tsx";
import { changeSummary, firstLine } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { plainText } from "../ui/plain-text.ts";
import type { RunDecision } from "./AdminPaletteDialog.tsx";

const texts = {
  publish: { question: "Publish this change?", yes: "Publish", done: "Published." },
  discard: { question: "Discard this change?", yes: "Discard", done: "Discarded." },
} as const;

/** Asks for confirmation before a waiting change is published or discarded. */
export function DecideRun(props: { decision: RunDecision; onClose(): void }): ReactElement {
  const { decision, onClose } = props;
  const { run, what } = decision;
  const api = useRunsApi();
  const announce = useAnnounce();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const text = texts[what];
  async function decide(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await api[what](run.id);
      announce(text.done);
      onClose();
    } catch (cause) {
      setError(asApiError(cause).message);
      setBusy(false);
    }
  }
  return (
    <ConfirmDialog
      question={text.question}
      yes={text.yes}
      danger={what === "discard"}
      busy={busy}
      error={error}
      onYes={() => void decide()}
      onNo={onClose}
    >
      <p>{firstLine(plainText(run.instruction))}</p>
      <p className="muted">{changeSummary(run.filesChanged)}</p>
    </ConfirmDialog>
  );
}
