import type { PageHead, Site } from "../site/site.ts";
import { isCopy } from "./canonical.ts";

type Heads = ReturnType<Site["heads"]>;
type HeadText = "title" | "description";
/** Pages with the same metadata: maps each path to the list that the page is a part of. */
type Group = ReadonlyMap<string, string>;
type Index = Record<HeadText, ReadonlyMap<string, Group>>;

const indexes = new WeakMap<Heads, Index>();

/** Pages in different languages may well have the same name. */
const keyOf = (head: PageHead, said: HeadText): string =>
  `${head.lang.toLowerCase()}\n${head[said]}`;

const standsForItself = (site: Site, path: string, head: PageHead): boolean =>
  !head.isNoindex && !isCopy(head.canonical, path, site);

/** The name of a page without the part that only numbers the pages of a list. */
const withoutPart = (path: string): string =>
  path
    .replace(/(?<=[?&])(?:page|paged|pg|seite|sida|offset|start)=\d+(?:&|$)/i, "")
    .replace(/[?&]$/, "")
    .replace(/\/(?:page|seite|sida)[/-]?\d+\/?(?=\?|$)/i, "")
    .replace(/\/+$/, "");

/**
 * The name of a page without a number that may be a page number: `/work/2`, `/work/p2`,
 * `/work?p=2`. On the start page, `?p=` is how WordPress addresses single pages.
 */
const withoutNumber = (name: string): string =>
  name
    .replace(/(?<!^\/?\?)(?<=[?&])p=\d+(?:&|$)/i, "")
    .replace(/[?&]$/, "")
    .replace(/\/(?:p[/-]?)?\d{1,3}\/?(?=\?|$)/i, "")
    .replace(/\/+$/, "");

/**
 * Finds out which list pages with the same head belong to, because pages of a list may share their
 * heads. A path that ends in a number, or in `p` and a number, belongs to the path without it.
 */
function groupOf(paths: readonly string[]): Group {
  const names = new Map(paths.map((path) => [path, withoutPart(path)]));
  const all = new Set(names.values());
  return new Map(
    [...names].map(([path, name]) => {
      const whole = withoutNumber(name);
      return [path, all.has(whole) ? whole : name];
    }),
  );
}

/** The indexable pages by the metadata in their heads. */
function indexOf(site: Site, heads: Heads): Index {
  const known = indexes.get(heads);
  if (known) return known;
  const own = [...heads].filter(([path, head]) => standsForItself(site, path, head));
  const by = (said: HeadText) => {
    const groups = Map.groupBy(own, ([, head]) => keyOf(head, said));
    return new Map([...groups].map(([key, group]) => [key, groupOf(group.map(([path]) => path))]));
  };
  const index = { title: by("title"), description: by("description") };
  indexes.set(heads, index);
  return index;
}

/** Whether two addresses return identical bytes: one page, which another check reports. */
function areSameFile(site: Site, one: string, other: string): boolean {
  const hash = site.files[one]?.hash ?? "";
  return hash !== "" && hash === site.files[other]?.hash;
}

/**
 * The first other page with the same metadata; null if there is none, or if the page has no
 * metadata.
 */
export function findDuplicateMetadata(
  site: Site,
  path: string,
  said: HeadText,
): { own: PageHead; other: string } | null {
  const heads = site.heads();
  const own = heads.get(path);
  if (!own || own[said] === "") return null;
  const group = indexOf(site, heads)[said].get(keyOf(own, said));
  const list = group?.get(path);
  if (!group || list === undefined) return null;
  for (const [other, its] of group) {
    if (its !== list && !areSameFile(site, other, path)) return { own, other };
  }
  return null;
}

const withoutAny = new WeakMap<Heads, boolean>();

/** Whether no page of a site has a description: its template has no place for one. */
export function lacksDescriptions(site: Site): boolean {
  const heads = site.heads();
  const known = withoutAny.get(heads);
  if (known !== undefined) return known;
  const lacks = heads.size > 1 && [...heads.values()].every(({ description }) => !description);
  withoutAny.set(heads, lacks);
  return lacks;
}
