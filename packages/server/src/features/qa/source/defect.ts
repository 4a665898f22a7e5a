import type { Occurrence } from "vitrine-qa/src/engine/job.ts";
import type { ElementQuery } from "./page-elements-worker.ts";

/** What is known of a defect when its source is looked up. */
export interface Defect {
  check: string;
  /** The page, if there are no places. */
  page: string;
  target: string | null;
  evidence: Readonly<Record<string, unknown>>;
  occurrences: readonly Occurrence[];
}

/** The part of a page that a defect is about, as in its markup. */
export type Subject =
  | { kind: "link"; href: string }
  | { kind: "image"; src: string }
  | { kind: "head"; part: "title" | "description" }
  | { kind: "element"; text: string };

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
const plain = (text: string) => text.replace(/\s+/g, " ").trim();

const ofLinks = /^link\./;
const ofImages = /^img\.|^a11y\.axe\.(?:image-alt|input-image-alt)$/;

/** What a defect is about at one of its places. */
export function subjectOf({ check, target, evidence }: Defect, place: Occurrence): Subject {
  if (ofLinks.test(check)) {
    const href = textOf(evidence["href"]) ?? textOf(evidence["target"]) ?? textOf(target);
    if (href !== null) return { kind: "link", href };
  }
  if (ofImages.test(check)) {
    const src = textOf(evidence["src"]) ?? textOf(target);
    if (src !== null) return { kind: "image", src };
  }
  if (check.startsWith("seo.title-")) return { kind: "head", part: "title" };
  if (check.startsWith("meta.description-")) return { kind: "head", part: "description" };
  return { kind: "element", text: plain(place.text) };
}

/** Maximum characters of an element's text in a finding; longer ones are truncated. */
const maxElementText = 79;

/** What to search for on a page: all similar elements, and those at the reported location. */
export function queriesOf(subject: Subject, { selector }: Occurrence): ElementQuery[] {
  const at = selector === "" ? {} : { selector };
  if (subject.kind === "link") return [{ href: subject.href }, { href: subject.href, ...at }];
  if (subject.kind === "image") return [{ src: subject.src }, { src: subject.src, ...at }];
  const { text = "" } = subject.kind === "element" ? subject : {};
  if (subject.kind === "head" || text === "" || text.length > maxElementText) return [];
  return [{ text }, { text, ...at }];
}

/** The first place of a defect on each of its pages, at most `limit`. */
export function placesToCheck({ page, occurrences }: Defect, limit: number): Occurrence[] {
  const first = new Map<string, Occurrence>();
  for (const place of occurrences) {
    if (first.size >= limit) break;
    if (!first.has(place.page)) first.set(place.page, place);
  }
  return first.size > 0 ? [...first.values()] : [{ page, selector: "", line: null, text: "" }];
}
