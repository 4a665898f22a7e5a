import { useEffect } from "react";

import type { CurrentRun } from "../components/RunPanel.tsx";
import { type Told, tellCounts } from "../tasks/counts.ts";
import type { RunStatus, TaskCounts } from "../types.ts";
import { isOpen, statusWord } from "../words.ts";

/** Says in the pill the state of the run, what waits in the queue and the errors of the site, as far as there are any. */
export function usePillLabel(
  pill: HTMLButtonElement,
  current: CurrentRun | null,
  counts: TaskCounts | null,
  errors: Told | null,
  expired: boolean,
): void {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const status = shown ? current.status : lookOf(counts);
  const told = [tellCounts(counts), errors].filter((one) => one !== null);
  const label = [
    ...(shown ? [statusWord(current.status)] : []),
    ...told.map((one) => `${one.amount} ${one.words}`),
  ].join(" · ");
  useEffect(() => {
    pill.textContent = expired ? "Sign in again" : label || "Console";
    pill.ariaLabel = `Open the console${label === "" && !expired ? "" : `: ${pill.textContent}`}`;
    pill.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
    pill.dataset.status = status;
  }, [pill, status, label, expired]);
}

/** The state of a run that means the same to the owner as the queue's. */
function lookOf(counts: TaskCounts | null): RunStatus | "" {
  if (counts === null) return "";
  if (counts.needsReview > 0) return "preview_ready";
  return counts.running > 0 ? "running" : "";
}
