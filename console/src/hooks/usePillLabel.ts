import { useEffect } from "react";

import type { CurrentRun } from "../components/RunPanel.tsx";
import type { Tab } from "../components/Tabs.tsx";
import { type Told, tellCounts } from "../tasks/counts.ts";
import type { RunStatus, TaskCounts } from "../types.ts";
import { isOpen, statusWord } from "../words.ts";

/** What the pill tells, and where that is to be found. */
export interface PillNews {
  label: string;
  /** The state of a run that means the same to the owner. */
  status: RunStatus | "";
  /** The tab that what is told first leads to; null where that is no reason to leave the last one. */
  tab: Tab | null;
}

/** The state of the run, what waits in the queue and the errors of the site, as far as there are any. */
export function pillNews(
  current: Pick<CurrentRun, "status"> | null,
  counts: TaskCounts | null,
  errors: Told | null,
): PillNews {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const tasks = tellCounts(counts);
  const told = [tasks, errors].filter((one) => one !== null);
  return {
    label: [
      ...(shown ? [statusWord(current.status)] : []),
      ...told.map((one) => `${one.amount} ${one.words}`),
    ].join(" · "),
    status: shown ? current.status : lookOf(counts),
    tab: shown ? "edit" : tasks && "tasks",
  };
}

/** Says in the pill what there is to tell. */
export function usePillLabel(pill: HTMLButtonElement, news: PillNews, expired: boolean): void {
  const { label, status } = news;
  useEffect(() => {
    pill.textContent = expired ? "Sign in again" : label || "Console";
    pill.ariaLabel = `Open the console${label === "" && !expired ? "" : `: ${pill.textContent}`}`;
    pill.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
    pill.dataset.status = status;
  }, [pill, status, label, expired]);
}

function lookOf(counts: TaskCounts | null): RunStatus | "" {
  if (counts === null) return "";
  if (counts.needsReview > 0) return "preview_ready";
  return counts.running > 0 ? "running" : "";
}
