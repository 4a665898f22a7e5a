import { routeOf } from "../routes.ts";
import type { Command } from "./grammar.ts";
import { findText, type Place } from "./find.ts";
import type { RecordPlace, RecordSource } from "./record-source.ts";
import type { Search } from "./scope.ts";
import { rewrite } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";
import { ambiguous, notFound, literalError } from "./literal-error.ts";

const maxListedPages = 6;

/** Replaces places of one file, segment by segment from the last, so that offsets keep. */
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

/** Throws when the text belongs to a record: it lives in the database, not in the site's source. */
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

/** The ways to say which of several places are meant: pages that have some as their own, or all. */
function choices(
  site: SiteSource,
  places: readonly Place[],
  projectPages: readonly string[],
): string {
  const files = new Set(places.map((place) => place.file));
  const pages = site.files.flatMap((file) => {
    const route = routeOf(file);
    if (route === null || route.includes("[")) return [];
    return site.reach(file).own.some((own) => files.has(own)) ? [`\`on ${route}\``] : [];
  });
  const all = [...pages, ...projectPages.map((page) => `\`on ${page}\``)];
  return `Add ${[...all.slice(0, maxListedPages), "`everywhere`"].join(" or ")}; all that are there change.`;
}

/** What a text was found in. */
interface Found {
  files: Place[];
  projects: RecordPlace[];
}

/** The record of the page that is looked at; none for any other page. */
function slugsOnPage({ path }: Search, projects: RecordSource): string[] {
  return projects.slugs.filter((slug) => path?.replace(/\/$/, "") === `/projects/${slug}`);
}

/** The places that are meant: those in the nearest ring that has any. */
function findPlaces(
  { site, projects }: Sources,
  { scope }: Extract<Command, { kind: "replace" }>,
  search: Search,
  wanted: string,
): Found | undefined {
  const inFiles = (files: readonly string[]): Found => {
    return { files: findText(site, files, wanted), projects: [] };
  };
  const inRecords = (slugs: readonly string[]): Found => {
    return { files: [], projects: projects.find(slugs, wanted) };
  };
  if (scope.kind === "everywhere") {
    const files = search.rings.flatMap((ring) => findText(site, ring.files, wanted));
    const found = { files, projects: projects.find(projects.slugs, wanted) };
    return found.files.length + found.projects.length > 0 ? found : undefined;
  }
  const rings = search.rings.map(
    ({ files }) =>
      () =>
        inFiles(files),
  );
  const own = () => inRecords(slugsOnPage(search, projects));
  // The page's record is nearer than the rest of the site, other records are not.
  const near = rings.slice(0, 2);
  const steps =
    search.path === null
      ? [...rings, () => inRecords(projects.slugs)]
      : [...near, own, ...rings.slice(2)];
  if (scope.kind === "here" && search.path !== null) steps.push(() => inRecords(projects.slugs));
  for (const step of steps) {
    const found = step();
    if (found.files.length + found.projects.length > 0) return found;
  }
  return undefined;
}

/** What a replacement works on: the site's source and the project records. */
export interface Sources {
  site: SiteSource;
  projects: RecordSource;
}

/**
 * Carries out `replace "A" with "B"` in memory.
 * @param records the public projects and database/changelog.json as JSON, for a helpful refusal
 * @returns a sentence about it
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
  const found = findPlaces(sources, command, search, wanted);
  if (found === undefined) {
    assertNotRecord(records, wanted);
    throw notFound(`“${wanted}”`, search.rings.at(-1)?.where ?? "");
  }
  const places = [...found.files, ...found.projects];
  if (places.length > 1 && !search.all) {
    const pages = found.projects.map(({ slug }) => `/projects/${slug}`);
    throw ambiguous(`“${wanted}”`, places, choices(site, found.files, [...new Set(pages)]));
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
