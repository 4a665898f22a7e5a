import type { Run, RunStatus } from "../../api/types.ts";
import { changeSummary, firstLine, runStatusLabel } from "./labels.ts";
import { type RunView, emptyView } from "./run-view.ts";

/** Whether Stop has an effect: publishing is too short, and past the point of stopping. */
export function isStoppable(status: RunStatus): boolean {
  return status === "queued" || status === "running" || status === "building";
}

/** A run's state as a word, and an explanation. */
export function outcomeOf(
  view: RunView,
  run: Run | null,
  pending: string | null,
): { word: string; detail: string } {
  const status = view.status ?? "queued";
  const word = runStatusLabel(status);
  if (pending === "cancel") {
    return { word: "Stopping…", detail: "Ending model, tools and build" };
  }
  if (pending === "publish") return { word: "Publishing", detail: changeSummary(view.files) };
  switch (status) {
    case "queued":
      return { word, detail: "Waiting to start" };
    case "running":
      return { word, detail: "Nothing is live yet" };
    case "building":
      return { word, detail: "A private preview" };
    case "preview_ready":
      return { word, detail: `${changeSummary(view.files)}, not live` };
    case "publishing":
      return { word, detail: changeSummary(view.files) };
    case "published": {
      const commit = view.commit === null ? [] : [view.commit.slice(0, 7)];
      return { word, detail: [...commit, changeSummary(view.files)].join(" · ") };
    }
    case "discarded":
      if (run?.mode === "ask") return { word: "Answered", detail: "Nothing was changed" };
      if (run && run.previewUrl === null && view.files.length === 0) {
        return { word: "No changes", detail: "Nothing to publish" };
      }
      return { word, detail: "The site is unchanged" };
    case "failed":
      return { word, detail: firstLine(view.error ?? "") || "No reason was recorded" };
    case "cancelled":
      return { word, detail: "The site is unchanged" };
    case "interrupted":
      return { word, detail: (view.error ?? "").trim() || "The server restarted" };
  }
}

/** The label for a run of which only the record is known. */
export function outcomeLabel(run: Run): string {
  return outcomeOf({ ...emptyView, status: run.status, files: run.filesChanged }, run, null).word;
}
