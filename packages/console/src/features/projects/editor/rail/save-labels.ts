import { formatTime } from "../../../../ui/format.ts";
import type { SaveStatus } from "../../../../ui/SaveState.tsx";
import { problemsTitle } from "../errors.ts";
import type { Saving } from "../useSaving.ts";

/** "14:03" for today, otherwise with its date, in the site's time zone. */
export function shortTime(iso: string, now: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone });
  const at = new Date(iso);
  if (Number.isNaN(at.getTime()) || day.format(at) !== day.format(now))
    return formatTime(iso, timeZone);
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
}

/** The state of saving, with its text; `mistakes` is the number of errors left in the form. */
export function saveLabels(
  saving: Pick<Saving, "phase" | "error">,
  mistakes: number,
  unsaved: boolean,
  savedAt: string,
): { status: SaveStatus; text: string } {
  if (saving.phase === "saving") return { status: "saving", text: "Saving…" };
  if (saving.phase === "failed" && saving.error) return { status: "failed", text: "Save failed" };
  if (saving.phase === "failed" && mistakes > 0)
    return { status: "failed", text: problemsTitle("save", mistakes) };
  if (unsaved) return { status: "changed", text: "Unsaved changes" };
  return { status: "saved", text: `Saved ${savedAt}` };
}
