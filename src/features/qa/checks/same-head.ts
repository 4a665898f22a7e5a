import type { PageHead, Site } from "../site/site.ts";
import { isCopy } from "./canonical.ts";

type Heads = ReturnType<Site["heads"]>;
type Said = "title" | "description";

const indexes = new WeakMap<Heads, Record<Said, Map<string, string[]>>>();

/** Pages in several languages may well have the same name. */
const keyOf = (head: PageHead, said: Said): string => `${head.lang.toLowerCase()}\n${head[said]}`;

const standsForItself = (site: Site, path: string, head: PageHead): boolean =>
  !head.unlisted && !isCopy(head.canonical, path, site);

/** The pages that stand for themselves by what their heads say. */
function indexOf(site: Site, heads: Heads): Record<Said, Map<string, string[]>> {
  const known = indexes.get(heads);
  if (known) return known;
  const index = { title: new Map<string, string[]>(), description: new Map<string, string[]>() };
  for (const [path, head] of heads) {
    if (!standsForItself(site, path, head)) continue;
    for (const said of ["title", "description"] as const) {
      const key = keyOf(head, said);
      const same = index[said].get(key);
      if (same) same.push(path);
      else index[said].set(key, [path]);
    }
  }
  indexes.set(heads, index);
  return index;
}

/** Whether two addresses answer with the very same bytes: one page, which is told as such. */
function areSameFile(site: Site, one: string, other: string): boolean {
  const hash = site.files[one]?.hash ?? "";
  return hash !== "" && hash === site.files[other]?.hash;
}

/** The first other page whose head says the same; null where none does, or nothing is said. */
export function sameHead(
  site: Site,
  path: string,
  said: Said,
): { own: PageHead; other: string } | null {
  const heads = site.heads();
  const own = heads.get(path);
  if (!own || own[said] === "" || !standsForItself(site, path, own)) return null;
  const same = indexOf(site, heads)[said].get(keyOf(own, said)) ?? [];
  const other = same.find((one) => one !== path && !areSameFile(site, one, path));
  return other === undefined ? null : { own, other };
}
