import type { RecordPlace, RecordSource } from "./record-source.ts";
import type { Command } from "./grammar.ts";
import type { Search } from "./scope.ts";
import type { SiteSource } from "./site-source.ts";

/** What commands change: the site's source and the project records. */
export interface Sources {
  site: SiteSource;
  projects: RecordSource;
}

/** Where a command found its text. */
export interface Found<FilePlace> {
  files: FilePlace[];
  projects: RecordPlace[];
}

/** The record of the page at a path; empty for any other page. */
export function slugsOnPage(path: string | null, projects: RecordSource): string[] {
  return projects.slugs.filter((slug) => path?.replace(/\/$/, "") === `/projects/${slug}`);
}

/**
 * The places in the nearest scope that has any. The page's own record is nearer than the rest of
 * the site; other records aren't included. `everywhere` means all of them.
 */
export function findNearest<FilePlace>(
  { projects }: Sources,
  scope: Command["scope"],
  search: Search,
  find: {
    inFiles(files: readonly string[]): FilePlace[];
    inRecords(slugs: readonly string[]): RecordPlace[];
  },
): Found<FilePlace> | undefined {
  const inFiles = (files: readonly string[]) => ({ files: find.inFiles(files), projects: [] });
  const inRecords = (slugs: readonly string[]) => ({ files: [], projects: find.inRecords(slugs) });
  const isEmpty = (found: Found<FilePlace>) => found.files.length + found.projects.length === 0;
  if (scope.kind === "everywhere") {
    const files = search.rings.flatMap((ring) => find.inFiles(ring.files));
    const found = { files, projects: find.inRecords(projects.slugs) };
    return isEmpty(found) ? undefined : found;
  }
  const rings = search.rings.map(
    ({ files }) =>
      () =>
        inFiles(files),
  );
  const all = () => inRecords(projects.slugs);
  const own = () => inRecords(slugsOnPage(search.path, projects));
  const steps: (() => Found<FilePlace>)[] =
    search.path === null ? [...rings, all] : [...rings.slice(0, 2), own, ...rings.slice(2)];
  if (scope.kind === "here" && search.path !== null) steps.push(all);
  for (const step of steps) {
    const found = step();
    if (!isEmpty(found)) return found;
  }
  return undefined;
}
