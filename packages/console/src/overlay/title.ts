import type { RunStatus } from "../api/types.ts";

const ready = "(Preview ready) ";
const changed = "● ";

/** What stands before the page's title when a run came to this state unseen. */
export function badgeOf(status: RunStatus): string {
  return status === "preview_ready" ? ready : changed;
}

/** A title without what was put before it. */
export function plainTitle(title: string): string {
  for (const badge of [ready, changed])
    if (title.startsWith(badge)) return title.slice(badge.length);
  return title;
}

/** A title with a badge, in place of one that it may carry. */
export function badgedTitle(title: string, badge: string): string {
  return badge + plainTitle(title);
}
