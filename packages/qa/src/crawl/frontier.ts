import { decodedPath } from "./addresses.ts";

/**
 * Detects paths that lead on endlessly without anything new: calendars, sessions, relative loops.
 */
export interface Traps {
  /** Whether an address is worth requesting as a page. */
  accepts(url: URL): boolean;
  /** Records a visited address; `textHash` is the hash of its text. */
  record(url: URL, textHash: string): void;
}

/** How many addresses of the same shape may have the same text before the rest is skipped. */
const maxSame = { plain: 40, query: 8 } as const;
/** The maximum number of queries per path. */
const maxQueries = 100;
const maxLength = 2000;
const maxSegments = 25;

/** Repeating segments: `/a/b/a/b/a/b/`, from relative links without a base. */
function repeats(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > 3 && segment.length > 1) return true;
    counts.set(segment, count);
  }
  return false;
}

const sessionNames = /^(?:phpsessid|jsessionid|sid|session_?id|aspsessionid\w*|cfid|cftoken)$/i;

/**
 * The shape of an address: without numbers and the values of parameters. The addresses of a trap
 * share it.
 */
function shapeOf(url: URL): string {
  const path = url.pathname.replace(/\d+/g, "0");
  if (url.search === "") return `${path}?`;
  return `${path}?${[...url.searchParams.keys()].toSorted().join("&")}`;
}

export function makeTraps(): Traps {
  const queries = new Map<string, number>();
  const words = new Map<string, Set<string>>();
  const same = new Map<string, number>();
  return {
    accepts(url) {
      const segments = decodedPath(url).split("/");
      if (url.href.length > maxLength || segments.length > maxSegments) return false;
      if (repeats(segments) || /;jsessionid=/i.test(url.pathname)) return false;
      const limit = url.search === "" ? maxSame.plain : maxSame.query;
      if ((same.get(shapeOf(url)) ?? 0) >= limit) return false;
      if (url.search === "") return true;
      if ([...url.searchParams.keys()].some((name) => sessionNames.test(name))) return false;
      const count = (queries.get(url.pathname) ?? 0) + 1;
      queries.set(url.pathname, count);
      return count <= maxQueries;
    },
    record(url, textHash) {
      const shape = shapeOf(url);
      const seen = words.get(shape) ?? new Set();
      if (seen.has(textHash)) same.set(shape, (same.get(shape) ?? 0) + 1);
      seen.add(textHash);
      words.set(shape, seen);
    },
  };
}
