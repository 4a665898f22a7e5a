import { type ReactElement, useEffect, useRef, useState } from "react";

import type { Task } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { FixForm } from "../../features/qa/FixForm.tsx";
import { makeInstructions } from "../../features/qa/instruction-drafts.ts";
import { fixAnnouncement } from "../../features/qa/labels.ts";
import { tabStorage } from "../../ui/storage.ts";
import { IgnoreForm } from "./IgnoreForm.tsx";
import type { QaRowProps } from "./row-props.ts";
import { useQa } from "./useQa.ts";

const instructions = makeInstructions(tabStorage);

/** Makes tasks of findings, one after the other. */
function useFixing({ row, onAnnounce, onChange }: QaRowProps) {
  const { api } = useQa();
  const action = useAction();
  function fix(): void {
    void action.perform("fix", async () => {
      const tasks: Task[] = [];
      for (const { id } of row.findings) {
        // oxlint-disable-next-line no-await-in-loop -- a refusal ends it, and the rest is as it was
        tasks.push(await api.fix(id, instructions.read(id).trim()));
        instructions.write(id, "");
      }
      onAnnounce(fixAnnouncement(tasks));
      onChange();
    });
  }
  return { action, fix };
}

/** What can be done about a finding in the console. */
export function QaActions(props: QaRowProps): ReactElement {
  const { action, fix } = useFixing(props);
  const [ignoring, setIgnoring] = useState(false);
  const ignoreButton = useFocusBack(ignoring);
  if (ignoring) return <IgnoreForm {...props} onBack={() => setIgnoring(false)} />;
  return (
    <FixForm
      findings={props.row.findings}
      busy={action.pending !== null}
      error={action.error}
      ignoreButton={ignoreButton}
      onFix={fix}
      onIgnore={() => setIgnoring(true)}
    />
  );
}

/** When the form has closed, the button that opened it has the focus again. */
function useFocusBack(open: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(open);
  useEffect(() => {
    if (before.current && !open) button.current?.focus();
    before.current = open;
  }, [open]);
  return button;
}
