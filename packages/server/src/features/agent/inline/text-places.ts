import { sourceOfPath } from "../routes.ts";
import { readAstro } from "../literal/astro-source.ts";
import { isReadable } from "../literal/find.ts";
import { type Sources, slugsOnPage } from "../literal/nearest.ts";
import type { RecordPlace } from "../literal/record-source.ts";
import { decode, rewrite, type Segment } from "../literal/segment.ts";
import type { SiteSource } from "../literal/site-source.ts";
import { findMarkdownText, onOneLine } from "./markdown-text.ts";
import type { InlineTarget } from "./schema.ts";

/** A whole text in a file of the site's source. */
export interface FilePlace {
  file: string;
  segment: Segment;
  /** Offsets in the file, without white space around the text. */
  start: number;
  end: number;
  /** What is written here, where that isn't the text itself. */
  written?: string;
}

/** Where a text stands: in a file of the source or in a record. */
export type TextPlace = { kind: "file"; place: FilePlace } | { kind: "record"; place: RecordPlace };

type TextTarget = Extract<InlineTarget, { kind: "text" }>;

/** A text that is found by its present words and gets other ones. */
export interface TextQuery extends Pick<
  TextTarget,
  "page" | "source" | "index" | "count" | "before"
> {
  after: string;
}

function wholeIn(site: SiteSource, file: string, segment: Segment, before: string): FilePlace[] {
  // What an image says is edited at the image.
  if (segment.name === "alt") return [];
  const { text, offsets } = decode(site.text(file), segment);
  if (onOneLine(text) !== before || !isReadable(segment, text, before)) return [];
  const first = text.search(/[^\s\u00a0]/);
  const end = offsets[first + text.slice(first).trimEnd().length] ?? segment.end;
  return [{ file, segment, start: offsets[first] ?? segment.start, end }];
}

/** The places in these files whose whole text this is. */
function inFiles(site: SiteSource, files: Iterable<string>, query: TextQuery): TextPlace[] {
  return [...new Set(files)].flatMap((file) =>
    site.segments(file).flatMap((segment): TextPlace[] => {
      if (segment.kind !== "markdown") {
        const places = wholeIn(site, file, segment, query.before);
        return places.map((place) => ({ kind: "file", place }));
      }
      const text = site.text(file).slice(segment.start, segment.end);
      return findMarkdownText(text, query.before, query.after).map(
        ({ start, end, text: written }) => ({
          kind: "file",
          place: { file, segment, start: segment.start + start, end: segment.start + end, written },
        }),
      );
    }),
  );
}

/** The places in these records: whole texts of fields, and passages of their Markdown. */
function inRecords(
  { projects }: Sources,
  slugs: readonly string[],
  { before, after }: TextQuery,
): TextPlace[] {
  return projects.texts(slugs).flatMap(({ text, ...place }): TextPlace[] => {
    if (place.field !== "body") {
      if (place.keys.at(-1) === "alt" || onOneLine(text) !== before) return [];
      const start = text.search(/\S/);
      return [{ kind: "record", place: { ...place, start, end: text.trimEnd().length } }];
    }
    return findMarkdownText(text, before, after).map(({ start, end, text: written }) => ({
      kind: "record",
      place: { ...place, start, end, written },
    }));
  });
}

/** The source of the element's content, up to its end tag or a little more. */
function contentOf(
  site: SiteSource,
  source: TextTarget["source"],
): { from: number; text: string } | null {
  if (source === null || !source.file.endsWith(".astro")) return null;
  const text = site.text(source.file);
  const lines = text.split("\n");
  const lineStart = lines.slice(0, source.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const at = lineStart + source.column - 1;
  const tag = readAstro(text).tags.find(({ start }) => start === at);
  if (tag === undefined) return null;
  const end = text.indexOf(`</${tag.name}`, tag.end);
  return { from: tag.end, text: text.slice(tag.end, end < 0 ? tag.end + 2000 : end) };
}

/** What the element's expressions are called last: `label` of `{action.label}`. */
function shownKeys(content: string): Set<string> {
  const names = content.matchAll(/\{\s*(?:[\w$]+\??\.)*([\w$]+)\s*\}/g);
  return new Set(Array.from(names, ([, name]) => name ?? ""));
}

const keyOf = (found: TextPlace): string =>
  found.kind === "file"
    ? found.place.segment.name
    : String(found.place.keys.findLast((key) => typeof key === "string") ?? found.place.field);

/** Where to look, the nearest first: the element itself, what it reads, the page, the rest it is made of. */
function rings(sources: Sources, query: TextQuery): (() => TextPlace[])[] {
  const { site, projects } = sources;
  const { page, source } = query;
  const path = page.replace(/[?#].*$/s, "").replace(/(?<=.)\/$/, "");
  const pageFile = sourceOfPath(site.files, path);
  const reached = pageFile === null ? { own: [], all: [] } : site.reach(pageFile);
  const content = contentOf(site, source);
  const own = source === null ? [] : site.imports(source.file).map((entry) => entry.path);
  const json = own.filter((file) => file.endsWith(".json"));
  const isInside = (found: TextPlace): boolean =>
    found.kind === "file" &&
    content !== null &&
    found.place.start >= content.from &&
    found.place.end <= content.from + content.text.length;
  const slugs = slugsOnPage(path, projects);
  return [
    () => (source === null ? [] : inFiles(site, [source.file], query).filter(isInside)),
    () => inFiles(site, json, query),
    () => [...inFiles(site, reached.own, query), ...inRecords(sources, slugs, query)],
    () => [...inFiles(site, reached.all, query), ...inRecords(sources, projects.slugs, query)],
  ];
}

/** What is known of where a text stands. */
export interface FoundText {
  /** The place that the element shows; null where several may be meant. */
  here: TextPlace | null;
  /** The nearest places, of which one is meant. */
  nearest: TextPlace[];
  /** All places of the site. */
  all: TextPlace[];
}

/** Finds where a text that a page shows is written. Nothing is changed. */
export function findTextPlaces(sources: Sources, query: TextQuery): FoundText {
  const keys = shownKeys(contentOf(sources.site, query.source)?.text ?? "");
  const near = rings(sources, query).map((ring) => ring());
  const ring = near.find((places) => places.length > 0) ?? [];
  const named = ring.filter((place) => keys.has(keyOf(place)));
  const nearest = named.length > 0 ? named : ring;
  const [only] = nearest;
  const isOrdered = nearest.length === query.count;
  const here = nearest.length === 1 ? only : isOrdered ? nearest[query.index] : undefined;
  const all = [
    ...inFiles(sources.site, sources.site.sources, query),
    ...inRecords(sources, sources.projects.slugs, query),
  ];
  return { here: here ?? null, nearest, all };
}

/** Where a place is, for people: `home.json`, or `lede of tidewater`. */
export function nameOfPlace(found: TextPlace): string {
  if (found.kind === "record") return `${found.place.field} of ${found.place.slug}`;
  return found.place.file.split("/").at(-1) ?? "";
}

/** Writes a text in these places, in memory. */
export function writePlaces(
  { site, projects }: Sources,
  places: readonly TextPlace[],
  text: string,
): void {
  const files = places.flatMap(({ kind, place }) => (kind === "file" ? [place] : []));
  // From the last, so that the places before it stay where they are.
  for (const { file, segment, start, end, written } of files.toSorted(
    (a, b) => b.start - a.start,
  )) {
    const source = site.text(file);
    const next =
      written === undefined
        ? rewrite(source, segment, [{ start, end, text }])
        : source.slice(0, start) + written + source.slice(end);
    site.set(file, next);
  }
  const records = places.flatMap(({ kind, place }) => (kind === "record" ? [place] : []));
  projects.replace(records, text);
}
