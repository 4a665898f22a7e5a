import type { RunChange } from "../../../runs/run-change.ts";
import type { TaskScope } from "../../schema.ts";
import type { Problem, ProblemGroup } from "./problem.ts";
import type { SiteMarkup, SiteView } from "./site-view.ts";

/** Allowed changes; their consequences elsewhere are allowed as well. */
export interface AcceptedChanges {
  /** Old text → new texts. */
  texts: Map<string, Set<string>>;
  added: Set<string>;
  removed: Set<string>;
  /**
   * Texts that may disappear from a page for another reason, such as the oldest of the latest
   * entries.
   */
  removableTexts: Set<string>;
  /** What has moved among its siblings. */
  moved: Set<string>;
  /** Addresses of images: old → new. */
  images: Map<string, Set<string>>;
  /** Old address of a link → new ones. */
  links: Map<string, Set<string>>;
}

/** An image attached to a task. */
export interface AttachedImage {
  /** Its address and those of its variants. */
  paths: readonly string[];
  /** Its alt text in the library. */
  alt: string;
}

/** What a change is judged by. */
export interface ReviewContext {
  scope: TaskScope;
  live: SiteView;
  next: SiteView;
  siteMarkup: SiteMarkup;
  /** The changelog entry that the build was made with; null without one. */
  entry: RunChange | null;
  /** The site's origin, such as `https://example.com`; null if unknown. */
  origin: string | null;
  /** Addresses of the images attached to the task. */
  media: ReadonlySet<string>;
  /** Their alt texts in the library. */
  altTexts: ReadonlySet<string>;
  /** Live style sheet → its replacement. */
  sheets: ReadonlyMap<string, string>;
  /** The themes in the live style sheet, by name. */
  themes: ReadonlySet<string>;
  accepted: AcceptedChanges;
  problems: Problem[];
}

export function makeAccepted(): AcceptedChanges {
  return {
    texts: new Map(),
    added: new Set(),
    removed: new Set(),
    removableTexts: new Set(),
    moved: new Set(),
    images: new Map(),
    links: new Map(),
  };
}

/** How one page is judged. */
export interface PageReviewContext extends ReviewContext {
  path: string;
  /**
   * Whether the task is about this page. Otherwise, only consequences of allowed changes may
   * differ.
   */
  inScope: boolean;
  /** Text of the live page's main part, with white space collapsed. */
  liveText: string;
  /** Whether the task's words name one of its sentences. */
  hasNamedSentence: boolean;
  /** Headings and other short labels of the live page. */
  headings: readonly string[];
  /** The parts of the page with changed texts. */
  regions: Set<unknown>;
  /** Links with a new target. */
  links: Set<string>;
  /** Characters of text added and removed so far. */
  amount: { added: number; removed: number; words: number };
}

export function addProblem(
  { problems, path }: PageReviewContext,
  group: ProblemGroup,
  what: string,
): void {
  problems.push({ group, what, path });
}

export function addAccepted(map: Map<string, Set<string>>, before: string, after: string): void {
  const known = map.get(before);
  if (known) known.add(after);
  else map.set(before, new Set([after]));
}

/** Whether a change of a text was allowed elsewhere, or contains such a change. */
export function isAcceptedElsewhere(
  { texts }: AcceptedChanges,
  before: string,
  after: string,
): boolean {
  if (texts.get(before)?.has(after)) return true;
  for (const [old, all] of texts) {
    if (old.length < 3 || !before.includes(old)) continue;
    for (const young of all) if (before.split(old).join(young) === after) return true;
  }
  return false;
}

/** A text for messages: on one line, truncated. */
export function shorten(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80).toWellFormed()}…` : line;
}
