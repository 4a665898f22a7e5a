import { useEffect } from "react";

import type { RunStatus, TaskCounts } from "../api/types.ts";
import { isOpen, runStatusLabel } from "../features/runs/labels.ts";
import type { CurrentRun } from "./RunPanel.tsx";
import type { Tab } from "./Tabs.tsx";
import { type Badge, summarizeCounts } from "../features/tasks/counts.ts";

/** What the pill tells, and where that is to be found. */
export interface LauncherNews {
  label: string;
  /** The state of a run that means the same to the owner. */
  status: RunStatus | "";
  /** The tab that what is told first leads to; null where that is no reason to leave the last one. */
  tab: Tab | null;
}

/** The state of the run, what waits in the queue and the errors of the site, as far as there are any. */
export function launcherNews(
  current: Pick<CurrentRun, "status"> | null,
  counts: TaskCounts | null,
  errors: Badge | null,
): LauncherNews {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const tasks = summarizeCounts(counts);
  const told = [tasks, errors].filter((one) => one !== null);
  return {
    label: [
      ...(shown ? [runStatusLabel(current.status)] : []),
      ...told.map((one) => `${one.amount} ${one.words}`),
    ].join(" · "),
    status: shown ? current.status : lookOf(counts),
    tab: shown ? "edit" : tasks && "tasks",
  };
}

/** Says in the pill what there is to tell. */
export function useLauncherLabel(
  pill: HTMLButtonElement,
  news: LauncherNews,
  expired: boolean,
): void {
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
