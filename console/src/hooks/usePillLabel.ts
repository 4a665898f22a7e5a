import { useEffect } from "react";

import type { CurrentRun } from "../components/RunPanel.tsx";
import { tellCounts } from "../tasks/counts.ts";
import type { RunStatus, TaskCounts } from "../types.ts";
import { isOpen, statusWord } from "../words.ts";

/** Says the state of the run in the pill, and what waits in the queue, while there is something to say. */
export function usePillLabel(
  pill: HTMLButtonElement,
  current: CurrentRun | null,
  counts: TaskCounts | null,
  expired: boolean,
): void {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const status = shown ? current.status : lookOf(counts);
  const told = tellCounts(counts);
  const words = [
    ...(shown ? [statusWord(current.status)] : []),
    ...(told === null ? [] : [`${told.amount} ${told.words}`]),
  ].join(" · ");
  useEffect(() => {
    pill.textContent = expired ? "Sign in again" : words || "Console";
    pill.ariaLabel = `Open the console${words === "" && !expired ? "" : `: ${pill.textContent}`}`;
    pill.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
    pill.dataset.status = status;
  }, [pill, status, words, expired]);
}

/** The state of a run that means the same to the owner as the queue's. */
function lookOf(counts: TaskCounts | null): RunStatus | "" {
  if (counts === null) return "";
  if (counts.needsReview > 0) return "preview_ready";
  return counts.running > 0 ? "running" : "";
}
