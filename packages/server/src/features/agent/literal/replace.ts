import { routeOf } from "../routes.ts";
import type { Command } from "./grammar.ts";
import { findText, type Place } from "./find.ts";
import { findNearest, type Sources } from "./nearest.ts";
import type { RecordPlace } from "./record-source.ts";
import type { Search } from "./scope.ts";
import { rewrite } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";
import { ambiguousError, notFound, literalError } from "./literal-error.ts";

const maxListedPages = 6;

/**
 * Replaces places in one file, segment by segment from last to first, so that offsets stay valid.
 */
function replaceInFile(site: SiteSource, file: string, places: Place[], text: string): void {
  const segments = Map.groupBy(places, (place) => place.segment);
  let source = site.text(file);
  for (const [segment, inside] of [...segments].toSorted(([a], [b]) => b.start - a.start)) {
    const edits = inside.map(({ start, end }) => ({ start, end, text }));
    source = rewrite(source, segment, edits);
  }
  site.set(file, source);
}

function recordMention(records: string, search: string): boolean {
  try {
    const strings: string[] = [];
    JSON.parse(records, (_, value: unknown) => {
      if (typeof value === "string") strings.push(value);
      return value;
    });
    return strings.some((value) => value.includes(search));
  } catch {
    return false;
  }
}

/**
 * Throws if the text belongs to a record, which is in the database and not in the site's source.
 */
export function assertNotRecord(records: Record<string, string>, search: string): void {
  for (const [kind, json] of Object.entries(records)) {
    if (!recordMention(json, search)) continue;
    throw literalError(
      kind === "projects"
        ? `“${search}” belongs to a project. Projects are edited on the projects page (/admin/projects), not by literal edits.`
        : `“${search}” belongs to a changelog entry. Entries are edited on the changelog page (/admin/changelog), not by literal edits.`,
    );
  }
}

/** How to choose between several places: pages that contain some of them, or all places. */
export function choices(
  site: SiteSource,
  places: readonly Pick<Place, "file">[],
  records: readonly RecordPlace[],
): string {
  const projectPages = [...new Set(records.map(({ slug }) => `/projects/${slug}`))];
  const files = new Set(places.map((place) => place.file));
  const pages = site.files.flatMap((file) => {
    const route = routeOf(file);
    if (route === null || route.includes("[")) return [];
    return site.reach(file).own.some((own) => files.has(own)) ? [`\`on ${route}\``] : [];
  });
  const all = [...pages, ...projectPages.map((page) => `\`on ${page}\``)];
  return `Add ${[...all.slice(0, maxListedPages), "`everywhere`"].join(" or ")}; every occurrence changes.`;
}

/**
 * Executes `replace "A" with "B"` in memory.
 * @param records the public projects and database/changelog.json as JSON, for a helpful error
 * @returns a sentence about the change
 */
export function replaceText(
  sources: Sources,
  command: Extract<Command, { kind: "replace" }>,
  search: Search,
  records: Record<string, string>,
): string {
  const { site, projects } = sources;
  const wanted = command.search.trim();
  const text = command.replacement.trim();
  if (wanted === "") throw literalError("The text to replace is empty.");
  const found = findNearest(sources, command.scope, search, {
    inFiles: (files) => findText(site, files, wanted),
    inRecords: (slugs) => projects.find(slugs, wanted),
  });
  if (found === undefined) {
    assertNotRecord(records, wanted);
    throw notFound(`“${wanted}”`, search.rings.at(-1)?.where ?? "");
  }
  const places = [...found.files, ...found.projects];
  if (places.length > 1 && !search.all) {
    throw ambiguousError(`“${wanted}”`, places, choices(site, found.files, found.projects));
  }
  const files = Map.groupBy(found.files, (place) => place.file);
  for (const [file, inside] of files) replaceInFile(site, file, inside, text);
  projects.replace(found.projects, text);
  const ofRecords = found.projects.map(({ slug, field }) => `${field} of ${slug}`);
  const ofFiles = [...files.keys()].map((file) => file.split("/").at(-1));
  const names = [...ofFiles, ...new Set(ofRecords)].join(", ");
  const count = places.length === 1 ? "" : `, ${places.length} places`;
  return `Replaced “${wanted}” with “${text}” (${names}${count}).`;
}
