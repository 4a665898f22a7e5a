import { distance, similarity } from "../page/distance.ts";
import type { Site } from "../site/site.ts";

/** What a link most likely meant, and how likely that is, from 0 to 1. */
export interface Candidate {
  path: string;
  score: number;
  /** The score of the next best candidate; 0 if there is none. */
  next: number;
  /** Good, and far ahead of the next: nobody has to choose. */
  isClear: boolean;
}

/**
 * For more broken targets than this on one site, no replacements are searched: each search takes
 * time.
 */
const maxTargets = 300;
const good = 0.84;
const ahead = 0.15;

const segmentsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .replace(/\/index\.html?$/, "/")
    .replace(/\.html?$/, "")
    .replace(/[_\s]+/g, "-")
    .split("/")
    .filter((segment) => segment !== "");

/** The segments of a path. */
interface Names {
  whole: string;
  parents: string;
  last: string;
}

function namesOf(path: string): Names {
  const segments = segmentsOf(path);
  const parents = segments.slice(0, -1).join("/");
  return { whole: segments.join("/"), parents, last: segments.at(-1) ?? "" };
}

const names = new WeakMap<Site, (readonly [path: string, names: Names])[]>();

/** The pages of a site with the segments of their paths. */
function pathsOf(site: Site): (readonly [path: string, names: Names])[] {
  const known = names.get(site) ?? site.pagePaths.map((path) => [path, namesOf(path)] as const);
  names.set(site, known);
  return known;
}

/**
 * How similar two paths are. Their last segments count most, because pages are moved more often
 * than renamed.
 */
function alike(a: Names, b: Names): number {
  const isLong = a.last.length >= 4;
  // A page has moved if its name is the same and too long to be a coincidence.
  if (a.last === b.last && isLong) return 0.9 + 0.1 * similarity(a.parents, b.parents);
  const whole = similarity(a.whole, b.whole);
  if (a.parents !== b.parents || !isLong) return whole * 0.9;
  return Math.max(whole, similarity(a.last, b.last) * 0.98);
}

/** The shortest name in which a single typing error still shows what was meant. */
const minSlipLetters = 5;

/**
 * Whether two names at the same place differ by one missing, extra, or swapped letter. A replaced
 * letter or digit may well make another name.
 */
function isSlip(a: Names, b: Names): boolean {
  if (a.parents !== b.parents || Math.min(a.last.length, b.last.length) < minSlipLetters)
    return false;
  if (/\d/.test(a.last + b.last) || distance(a.last, b.last, 1) !== 1) return false;
  const lettersOf = ({ last }: Names) => [...last].toSorted().join("");
  return a.last.length !== b.last.length || lettersOf(a) === lettersOf(b);
}

const worded = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether the text of a link is the name of a page: its title without the site's name. */
function isCalled(words: string, title: string): boolean {
  if (words.length < 5 || words.split(" ").length < 2) return false;
  const name = title.split(/\s+[|–—·•-]\s+/)[0] ?? "";
  return worded(name) === words;
}

function find(site: Site, path: string, words: string): Candidate | null {
  const wanted = namesOf(path);
  if (wanted.whole === "") return null;
  const called = worded(words);
  const heads = called === "" ? new Map() : site.heads();
  let best: { path: string; score: number } | null = null;
  let next = 0;
  for (const [other, named] of pathsOf(site)) {
    const title = (heads.get(other) as { title: string } | undefined)?.title ?? "";
    const alone = alike(wanted, named);
    const score = isCalled(called, title)
      ? Math.max(alone, 0.6) + (1 - Math.max(alone, 0.6)) * 0.7
      : alone;
    if (!best || score > best.score) {
      next = best?.score ?? 0;
      best = { path: other, score };
    } else next = Math.max(next, score);
  }
  if (!best || best.score < 0.6) return null;
  const round = (score: number) => Math.round(score * 100) / 100;
  return {
    path: best.path,
    score: round(best.score),
    next: round(next),
    isClear:
      (best.score >= good || isSlip(wanted, namesOf(best.path))) && best.score - next >= ahead,
  };
}

const reported = new WeakMap<Site, Map<string, Candidate | null>>();

/**
 * The page that a broken link with this path and text most likely meant; null if there is no
 * candidate.
 */
export function candidateFor(site: Site, path: string, words: string): Candidate | null {
  const known = reported.get(site) ?? new Map<string, Candidate | null>();
  reported.set(site, known);
  const key = `${path}\n${words}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  // A file never replaces a page, or the reverse.
  const isFile = /\.(?!html?$)[a-z0-9]{1,5}$/i.test(path);
  const found = isFile || known.size >= maxTargets ? null : find(site, path, words);
  known.set(key, found);
  return found;
}

/** The fragment that a link most likely meant. */
export interface NearFragment {
  id: string;
  distance: number;
  isClear: boolean;
}

const plain = (id: string): string => id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** The id that is most similar to a fragment; null if none is similar. */
export function nearestFragment(places: Iterable<string>, fragment: string): NearFragment | null {
  const max = Math.max(1, Math.min(3, Math.floor(fragment.length / 4)));
  let best: { id: string; distance: number } | null = null;
  let next = Infinity;
  for (const id of places) {
    const same = plain(id) === plain(fragment) && plain(id) !== "";
    const far = same ? 0.5 : distance(fragment.toLowerCase(), id.toLowerCase(), max + 2);
    if (!best || far < best.distance) {
      next = best?.distance ?? Infinity;
      best = { id, distance: far };
    } else next = Math.min(next, far);
  }
  if (!best || best.distance > max) return null;
  const clear = best.distance <= 2 && fragment.length >= 4 && next - best.distance >= 2;
  return { id: best.id, distance: Math.ceil(best.distance), isClear: clear };
}
