import type { BuildReport, CheckFinding } from "../../runs/schema.ts";
import type { Finding } from "vitrine-qa/src/finding.ts";
import type { PageLook } from "./look.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";

/** No more pages than this are looked at for one build; those beyond are glanced at. */
export const mostPages = 200;
const mostFindings = 100;

/** Whether a page's own bytes are the same on both sites. */
function isSame(path: string, next: Site, live: Site | null): boolean {
  return live?.files[path]?.hash === next.files[path]?.hash;
}

/** Files whose names tell their content: a page that names another one differs itself. */
const named = /^\/(_astro|og|pagefind)\//;

/** What other pages may depend on: what is gone, and style sheets that changed under their name. */
function touchedPaths(next: Site, live: Site): string[] {
  return Object.keys(live.files).filter((path) => {
    const now = next.files[path];
    if (!now) return !named.test(path);
    return now.type.startsWith("text/css") && !isSame(path, next, live);
  });
}

/**
 * The pages that a build changes: those whose bytes differ, and then, up to `mostPages`, those that
 * name something that is gone or looks different.
 */
export function changedPages(next: Site, live: Site | null): string[] {
  const changed = next.pagePaths.filter((path) => !isSame(path, next, live));
  const touched = live ? touchedPaths(next, live).slice(0, 50) : [];
  if (touched.length === 0 || changed.length >= mostPages) return changed;
  const others = next.pagePaths.filter((path) => isSame(path, next, live)).slice(0, 1000);
  const affected = others.filter((path) => {
    const text = next.text(path) ?? "";
    return touched.some((gone) => text.includes(`"${encodeURI(gone)}`));
  });
  return [...changed, ...affected.slice(0, mostPages - changed.length)];
}

/** Pages of the live site that tell what a page that is new would share with others. */
export function kinOf(path: string, live: Site): string[] {
  const folder = path.replace(/[^/]+\/?$/, "");
  const near = live.pagePaths.find((other) => other !== folder && other.startsWith(folder));
  return [...new Set(["/", ...(near === undefined ? [] : [near])])].filter((kin) => {
    return live.pagePaths.includes(kin);
  });
}

/** A page that is looked at, as it would be and as it is live. */
export interface Comparison {
  path: string;
  next: PageLook;
  /** Null for a page that is new. */
  live: PageLook | null;
}

const weights = { error: 0, warning: 1, notice: 2 } as const;
const leadingNowhere = new Set([
  "link.internal-broken",
  "link.case-mismatch",
  "asset.broken",
  "asset.css-url-broken",
  "img.broken",
  "img.srcset-broken",
]);

/** One defect: where it was first seen, and the pages and places that have it. */
interface Gathered {
  finding: Finding;
  pages: Set<string>;
  places: number;
}

/** Findings that are the same by a key: of each the first, and where else it is. */
function gather(
  findings: Iterable<Finding>,
  key: (finding: Finding) => string,
): Map<string, Gathered> {
  const found = new Map<string, Gathered>();
  for (const finding of findings) {
    const known = found.get(key(finding));
    known?.pages.add(finding.page);
    if (known) known.places++;
    else found.set(key(finding), { finding, pages: new Set([finding.page]), places: 1 });
  }
  return found;
}

const identity = ({ fingerprint }: Finding): string => fingerprint;
const causeOf = ({ check, cause, fingerprint }: Finding): string =>
  cause === undefined ? fingerprint : `${check} ${cause}`;

/** Where else the same is, in words. */
function elsewhere({ pages, places }: Gathered): string {
  const others = pages.size - 1;
  if (others > 0) return ` Also on ${others} other ${others === 1 ? "page" : "pages"}.`;
  if (places === 1) return "";
  return ` Also at ${places - 1} other ${places === 2 ? "place" : "places"} of the page.`;
}

function toReported(found: Gathered): CheckFinding {
  const { check, category, severity, page, target, message } = found.finding;
  return { check, category, severity, page, target, message: message + elsewhere(found) };
}

/** Whether a page would show nothing, or nothing of its own where it does now. */
function isBlank({ next, live }: Comparison): boolean {
  if (!next.substance) return false;
  if (next.substance.whole === 0) return true;
  return next.substance.own === 0 && (!live?.substance || live.substance.own > 0);
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Says what a build changes; `baseline` are findings of other live pages, which are nothing new. */
export function compare(pages: readonly Comparison[], baseline: readonly Finding[]): BuildReport {
  const found = pages.flatMap(({ next }) => next.findings);
  const after = gather(found, identity);
  const before = gather(
    pages.flatMap(({ live }) => live?.findings ?? []),
    identity,
  );
  const known = new Set([...before.keys(), ...baseline.map(({ fingerprint }) => fingerprint)]);
  const isNew = ({ fingerprint }: Finding) => !known.has(fingerprint);
  // What one change of style brings about at many places is one finding.
  const fresh = [...gather(found.filter(isNew), causeOf).values()];
  const count = (severity: CheckFinding["severity"]) =>
    fresh.filter(({ finding }) => finding.severity === severity).length;
  const broken = [...after.values()].filter(({ finding }) => leadingNowhere.has(finding.check));
  return {
    pages: pages.length,
    findings: fresh
      .toSorted((a, b) => weights[a.finding.severity] - weights[b.finding.severity])
      .slice(0, mostFindings)
      .map(toReported),
    added: { error: count("error"), warning: count("warning"), notice: count("notice") },
    fixed: gather(
      [...before.values()].flatMap(({ finding }) =>
        after.has(finding.fingerprint) ? [] : finding,
      ),
      causeOf,
    ).size,
    brokenLinks: new Set(broken.map(({ finding }) => finding.target)).size,
    bytes: {
      before: sum(pages.map(({ live }) => live?.bytes ?? 0)),
      after: sum(pages.map(({ next }) => next.bytes)),
    },
    blank: pages.filter(isBlank).map(({ path }) => path),
  };
}
