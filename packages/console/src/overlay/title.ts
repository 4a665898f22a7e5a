import type { RunStatus } from "../api/types.ts";

const ready = "(Preview ready) ";
const changed = "● ";

/** The prefix of the page's title when a run has reached this state unseen. */
export function badgeOf(status: RunStatus): string {
  return status === "preview_ready" ? ready : changed;
}

/** A title without its prefix. */
export function plainTitle(title: string): string {
  for (const badge of [ready, changed])
    if (title.startsWith(badge)) return title.slice(badge.length);
  return title;
}

/** A title with a prefix, replacing an existing one. */
export function badgedTitle(title: string, badge: string): string {
  return badge + plainTitle(title);
}
