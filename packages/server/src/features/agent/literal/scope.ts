import { sourceOfPath } from "../routes.ts";
import type { Scope } from "./grammar.ts";
import type { SiteSource } from "./site-source.ts";
import { literalError } from "./literal-error.ts";

/**
 * Where to search, nearest first. With `all`, every place in the first scope that has any is
 * changed.
 */
export interface Search {
  rings: { files: readonly string[]; where: string }[];
  all: boolean;
  /** The path that is searched, if there is one. */
  path: string | null;
}

/** The page file of a path. Throws `validation_failed` if no page serves it. */
export function pageFile(site: SiteSource, path: string): string {
  const file = sourceOfPath(site.files, path);
  if (file === null) throw literalError(`No page of the site is at ${path}.`);
  return file;
}

/**
 * An explicit page or `everywhere` means all places there. The page that is open in the console is
 * only a hint: it is searched first, then its imports, then the rest of the site.
 * @param here path of the page that is open in the console
 */
export function searchOf(site: SiteSource, scope: Scope, here: string | null): Search {
  const whole = { files: site.sources, where: "in the site's source" };
  if (scope.kind === "everywhere") return { rings: [whole], all: true, path: null };
  const path = scope.kind === "page" ? scope.path : here;
  const known = path !== null && (scope.kind === "page" || sourceOfPath(site.files, path) !== null);
  if (!known) return { rings: [whole], all: false, path: null };
  const { own, all } = site.reach(pageFile(site, path));
  const rings = [
    { files: own, where: `on ${path}` },
    { files: all, where: `on ${path}` },
  ];
  if (scope.kind === "here") rings.push({ ...whole, files: [...whole.files] });
  return { rings, all: scope.kind === "page", path };
}
