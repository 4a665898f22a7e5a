import type { PageHead, Site } from "../site/site.ts";

type Heads = ReturnType<Site["heads"]>;
type Said = "title" | "description";

const indexes = new WeakMap<Heads, Record<Said, Map<string, string[]>>>();

/** The listed pages by what their heads say. */
function indexOf(heads: Heads): Record<Said, Map<string, string[]>> {
  const known = indexes.get(heads);
  if (known) return known;
  const index = { title: new Map<string, string[]>(), description: new Map<string, string[]>() };
  for (const [path, head] of heads) {
    if (head.unlisted) continue;
    for (const said of ["title", "description"] as const) {
      const same = index[said].get(head[said]);
      if (same) same.push(path);
      else index[said].set(head[said], [path]);
    }
  }
  indexes.set(heads, index);
  return index;
}

/** The first other page whose head says the same; null where none does, or nothing is said. */
export function sameHead(
  site: Site,
  path: string,
  said: Said,
): { own: PageHead; other: string } | null {
  const heads = site.heads();
  const own = heads.get(path);
  if (!own || own[said] === "" || own.unlisted) return null;
  const same = indexOf(heads)[said].get(own[said]) ?? [];
  const other = same.find((one) => one !== path);
  return other === undefined ? null : { own, other };
}
