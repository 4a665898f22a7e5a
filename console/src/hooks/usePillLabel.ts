import { useEffect } from "react";

import type { CurrentRun } from "../components/RunPanel.tsx";
import { isOpen, statusWord } from "../words.ts";

/** Says the state of the run in the pill, while there is something to say. */
export function usePillLabel(
  pill: HTMLButtonElement,
  current: CurrentRun | null,
  expired: boolean,
): void {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const status = shown ? current.status : null;
  useEffect(() => {
    const word = status === null ? null : statusWord(status);
    pill.textContent = expired ? "Sign in again" : (word ?? "Console");
    pill.ariaLabel = `Open the console${word === null && !expired ? "" : `: ${pill.textContent}`}`;
    pill.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
    pill.dataset.status = status ?? "";
  }, [pill, status, expired]);
}
