import { useEffect } from "react";

import type { RunStatus, TaskCounts } from "../api/types.ts";
import { isOpen, runStatusLabel } from "../features/runs/labels.ts";
import type { CurrentRun } from "./RunPanel.tsx";
import type { Tab } from "./Tabs.tsx";
import { type Badge, summarizeCounts } from "../features/tasks/counts.ts";

/** What the launcher shows, and where it leads. */
export interface LauncherState {
  label: string;
  /** The run state with the same meaning. */
  status: RunStatus | "";
  /** The tab for what is shown first; null keeps the last one. */
  tab: Tab | null;
}

/** The state of the run, waiting tasks, and the site's errors, if there are any. */
export function launcherState(
  current: Pick<CurrentRun, "status"> | null,
  counts: TaskCounts | null,
  errors: Badge | null,
): LauncherState {
  const shown = current && (isOpen(current.status) || current.status === "failed");
  const tasks = summarizeCounts(counts);
  const reported = [tasks, errors].filter((one) => one !== null);
  return {
    label: [
      ...(shown ? [runStatusLabel(current.status)] : []),
      ...reported.map((one) => `${one.count} ${one.label}`),
    ].join(" · "),
    status: shown ? current.status : variantOf(counts),
    tab: shown ? "edit" : tasks && "tasks",
  };
}

/** Shows the state in the launcher. */
export function useLauncherLabel(
  launcher: HTMLButtonElement,
  announcement: LauncherState,
  expired: boolean,
): void {
  const { label, status } = announcement;
  useEffect(() => {
    launcher.textContent = expired ? "Sign in again" : label || "Console";
    launcher.ariaLabel = `Open the console${label === "" && !expired ? "" : `: ${launcher.textContent}`}`;
    launcher.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
    launcher.dataset.status = status;
  }, [launcher, status, label, expired]);
}

function variantOf(counts: TaskCounts | null): RunStatus | "" {
  if (counts === null) return "";
  if (counts.needsReview > 0) return "preview_ready";
  return counts.running > 0 ? "running" : "";
}
