import { type Attribute, readAstro, type Tag } from "./astro-source.ts";
import type { Command } from "./grammar.ts";
import { readJson } from "./json-source.ts";
import { findNearest, type Sources } from "./nearest.ts";
import { assertNotRecord, choices } from "./replace.ts";
import type { Search } from "./scope.ts";
import { decode, encode } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";
import { ambiguousError, notFound } from "./literal-error.ts";
import { placeOfAttribute, setValue, type ValuePlace } from "./value.ts";

interface AltPlace {
  value: ValuePlace;
  /** For an image without an alt text: what to write before and after the value. */
  around: [string, string] | null;
}

const sourceKeys = new Set(["src", "image", "cover", "poster", "url"]);

/**
 * An image can be named by its address, the end of its address, its file name without extension, or
 * its current alt text.
 */
function isNamed(source: string, alt: string | null, name: string): boolean {
  if (alt !== null && alt === name) return true;
  const file = source.split("/").at(-1) ?? "";
  return (
    source === name ||
    (source !== "" && source.endsWith(name.startsWith("/") ? name : `/${name}`)) ||
    file.replace(/\.[a-z0-9]+$/i, "") === name
  );
}

function altsInJson(site: SiteSource, file: string, name: string): AltPlace[] {
  const source = site.text(file);
  const strings = readJson(source);
  const objectOf = (path: (string | number)[]) => JSON.stringify(path.slice(0, -1));
  return strings.flatMap((entry): AltPlace[] => {
    if (!sourceKeys.has(String(entry.path.at(-1)))) return [];
    const alt = strings.find(
      (other) => other.path.at(-1) === "alt" && objectOf(other.path) === objectOf(entry.path),
    );
    const address = decode(source, entry).text;
    if (!isNamed(address, alt === undefined ? null : decode(source, alt).text, name)) return [];
    if (alt !== undefined) return [{ value: { file, segment: alt }, around: null }];
    const at = entry.end + 1;
    const segment = { ...entry, start: at, end: at };
    return [{ value: { file, segment }, around: [`, "alt": "`, `"`] }];
  });
}

function textOf(site: SiteSource, file: string, attribute: Attribute | undefined): string | null {
  const place = attribute === undefined ? null : placeOfAttribute(site, file, attribute);
  if (place === null) return null;
  const segment = { ...place.segment, name: "", tag: "" };
  return decode(site.text(place.file), segment).text;
}

function altOfTag(site: SiteSource, file: string, tag: Tag, name: string): AltPlace[] {
  const attribute = (wanted: string) => tag.attributes.find((a) => a.name === wanted);
  const [source, alt] = [attribute("src"), attribute("alt")];
  if (source === undefined) return [];
  // If an image's address comes from JSON, it is found there.
  if (source.expression && placeOfAttribute(site, file, source)?.file.endsWith(".json")) return [];
  if (!isNamed(textOf(site, file, source) ?? "", textOf(site, file, alt), name)) return [];
  if (alt !== undefined) {
    const value = placeOfAttribute(site, file, alt);
    return value === null ? [] : [{ value, around: null }];
  }
  const at = { quote: '"' as const, start: tag.nameEnd, end: tag.nameEnd };
  return source.kind === "property"
    ? [{ value: { file, segment: { ...at, kind: "string" } }, around: [' alt={"', '"}'] }]
    : [{ value: { file, segment: { ...at, kind: "attribute" } }, around: [' alt="', '"'] }];
}

function altsIn(site: SiteSource, files: readonly string[], name: string): AltPlace[] {
  return files.flatMap((file) => {
    if (file.endsWith(".json")) return altsInJson(site, file, name);
    if (!file.endsWith(".astro")) return [];
    return readAstro(site.text(file)).tags.flatMap((tag) => altOfTag(site, file, tag, name));
  });
}

function write(site: SiteSource, { value, around }: AltPlace, text: string): void {
  if (around === null) {
    setValue(site, value, text);
    return;
  }
  const source = site.text(value.file);
  const { start, end } = value.segment;
  const written = around[0] + encode(text, value.segment) + around[1];
  site.set(value.file, source.slice(0, start) + written + source.slice(end));
}

function toListed(site: SiteSource, { value: { file, segment } }: AltPlace) {
  const source = site.text(file);
  const line = source.slice(0, segment.start).split("\n").length;
  return { file, line, excerpt: source.slice(segment.start, segment.end) };
}

/** Executes `set the alt text of "…" to "X"` in memory. */
export function setAlt(
  sources: Sources,
  command: Extract<Command, { kind: "alt" }>,
  search: Search,
  records: Record<string, string>,
): string {
  const { site, projects } = sources;
  const name = command.image.trim();
  const text = command.value.trim();
  const found = findNearest(sources, command.scope, search, {
    inFiles: (files) => altsIn(site, files, name),
    inRecords: (slugs) => projects.findAlts(slugs, (src, alt) => isNamed(src, alt, name), text),
  });
  if (found === undefined) {
    assertNotRecord(records, name);
    throw notFound(`The image “${name}”`, search.rings.at(-1)?.where ?? "");
  }
  if (found.files.length + found.projects.length > 1 && !search.all) {
    const listed = found.files.map((place) => toListed(site, place));
    const how = choices(site, listed, found.projects);
    throw ambiguousError(`The image “${name}”`, [...listed, ...found.projects], how);
  }
  const last = found.files.toSorted((a, b) => b.value.segment.start - a.value.segment.start);
  for (const place of last) write(site, place, text);
  projects.replace(found.projects, text);
  // An address means nothing to people, and this may appear in the public changelog.
  const image = name.startsWith("/") ? "an image" : `“${name}”`;
  return `Set the alt text of ${image} to “${text}”.`;
}
