import type { SaveStatus } from "../../components/SaveState.tsx";
import { timeWords } from "../../words.ts";
import type { Saving } from "../useSaving.ts";

/** "14:03" of the same day, else with its date, by the site's clock. */
export function shortTime(iso: string, now: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone });
  const at = new Date(iso);
  if (Number.isNaN(at.getTime()) || day.format(at) !== day.format(now))
    return timeWords(iso, timeZone);
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
}

/** How saving is, as a state and in words. */
export function saveWords(
  saving: Pick<Saving, "phase">,
  unsaved: boolean,
  savedAt: string,
): { status: SaveStatus; text: string } {
  if (saving.phase === "saving") return { status: "saving", text: "Saving…" };
  if (saving.phase === "failed") return { status: "failed", text: "Save failed" };
  if (unsaved) return { status: "changed", text: "Unsaved changes" };
  return { status: "saved", text: `Saved ${savedAt}` };
}
