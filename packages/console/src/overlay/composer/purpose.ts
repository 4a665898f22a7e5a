import type { Mode } from "../../api/types.ts";
import { isStoppable } from "../../features/runs/outcome.ts";
import { mod } from "../../ui/key-names.ts";
import type { CurrentRun } from "../RunPanel.tsx";

/** What sending does: start a run, continue the ready one, message the working one, or wait. */
export type Purpose = "start" | "further" | "say" | "wait";

/** What sending does with this run, which may be null. */
export function purposeOf(
  run: Pick<CurrentRun, "status" | "readsMessages"> | null,
  mode: Mode,
  anew: boolean,
): Purpose {
  if (run === null) return "start";
  if (isStoppable(run.status)) return run.readsMessages ? "say" : "wait";
  if (run.status === "publishing") return "wait";
  return run.status === "preview_ready" && mode === "build" && !anew ? "further" : "start";
}

/** What Send waits for, or its keyboard shortcut. */
export function hintOf(
  purpose: Purpose,
  missing: number,
  status: CurrentRun["status"] | null,
): string {
  if (purpose === "wait") {
    return status === "publishing" ? "Send when this is live" : "Send when this run has finished";
  }
  if (missing > 0) return "Send once the images are uploaded or removed";
  return `${mod} Enter sends`;
}
