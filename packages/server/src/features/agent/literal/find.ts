import { decode, type Segment } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";

/** A place where a text occurs. */
export interface Place {
  file: string;
  segment: Segment;
  /** Offsets in the file's source. */
  start: number;
  end: number;
  line: number;
  /** The surrounding text, on one line. */
  excerpt: string;
}

/** Attributes of HTML elements with values that people read or follow. */
const readAttributes = new Set(
  "alt title aria-label aria-description placeholder content label href value".split(" "),
);
/** Properties and keys that control the page; people don't read their values. */
const steering =
  /^(class|class:list|id|for|slot|role|rel|type|kind|lang|language|style|sizes|media|target|method|shape|look|accent|icon|slug|key|width|height|loading|decoding|fetchpriority|is:.*|set:.*|client:.*|define:.*|transition:.*|data-.*)$/;
const looksLikeAddress =
  /^(?:[a-z][a-z0-9+.-]*:|\/|\.{1,2}\/|#)\S*$|^\S+\.(?:svg|png|jpe?g|webp|avif|gif|mp4|woff2?|pdf)$/i;

/**
 * Treats similar quotes, dashes, and spaces as equal, because people type the ones on their
 * keyboards.
 */
export function fold(text: string): string {
  return text
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″]/g, '"')
    .replace(/[\u00a0\u202f\u2009]/g, " ")
    .replace(/[‐‑]/g, "-");
}

/** Whether people read a segment's text; addresses count if the search text looks like one. */
export function isReadable(segment: Segment, text: string, search: string): boolean {
  if (steering.test(segment.name)) return false;
  if (looksLikeAddress.test(text.trim())) return /[/:@.#]/.test(search);
  const onElement = segment.tag !== "" && /^[a-z]/.test(segment.tag) && segment.name !== "";
  if (onElement && !readAttributes.has(segment.name)) return false;
  // A string in code without a space or an uppercase letter is usually an identifier.
  return segment.kind !== "string" || segment.name !== "" || /[\s\p{Lu}]|[^\p{ASCII}]/u.test(text);
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** Matches whole words only: "art" isn't in "start". */
export function isWhole(text: string, at: number, length: number): boolean {
  const joins = (a: string | undefined, b: string | undefined) =>
    a !== undefined && b !== undefined && wordCharacter.test(a) && wordCharacter.test(b);
  return !joins(text[at - 1], text[at]) && !joins(text[at + length - 1], text[at + length]);
}

function placesInSegment(
  site: SiteSource,
  file: string,
  segment: Segment,
  search: string,
): Place[] {
  const source = site.text(file);
  const { text, offsets } = decode(source, segment);
  if (!isReadable(segment, text, search)) return [];
  const folded = fold(text);
  const places: Place[] = [];
  for (let at = folded.indexOf(search); at >= 0; at = folded.indexOf(search, at + search.length)) {
    if (!isWhole(text, at, search.length)) continue;
    const start = offsets[at] ?? segment.start;
    places.push({
      file,
      segment,
      start,
      end: offsets[at + search.length] ?? segment.end,
      line: source.slice(0, start).split("\n").length,
      excerpt: text.slice(Math.max(0, at - 30), at + search.length + 30).trim(),
    });
  }
  return places;
}

/**
 * Where a text occurs in these files as people read it: across entities, escapes, and line breaks.
 */
export function findText(site: SiteSource, files: readonly string[], wanted: string): Place[] {
  const search = fold(wanted.replace(/\s+/g, " "));
  return files.flatMap((file) =>
    site.segments(file).flatMap((segment) => placesInSegment(site, file, segment, search)),
  );
}
