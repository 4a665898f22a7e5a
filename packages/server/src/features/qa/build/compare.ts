import type { BuildReport, CheckFinding } from "../../runs/schema.ts";
import type { Finding } from "vitrine-qa/src/finding.ts";
import type { PageInspection } from "./inspect-page.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";

/** Maximum pages checked for one build; the rest is only checked briefly. */
export const maxPages = 200;
const maxFindings = 100;

/** Whether a page's own bytes are the same on both sites. */
function isSame(path: string, next: Site, live: Site | null): boolean {
  return live?.files[path]?.hash === next.files[path]?.hash;
}

/** Files named by their content: a page that references another one differs itself. */
const named = /^\/(_astro|og|pagefind)\//;

/**
 * Files that affect other pages: deleted ones, and style sheets that changed under the same name.
 */
function touchedPaths(next: Site, live: Site): string[] {
  return Object.keys(live.files).filter((path) => {
    const now = next.files[path];
    if (!now) return !named.test(path);
    return now.type.startsWith("text/css") && !isSame(path, next, live);
  });
}

/**
 * The pages that a build changes: those whose bytes differ, and then, up to `maxPages`, those that
 * reference something deleted or changed.
 */
export function changedPages(next: Site, live: Site | null): string[] {
  const changed = next.pagePaths.filter((path) => !isSame(path, next, live));
  const touched = live ? touchedPaths(next, live).slice(0, 50) : [];
  if (touched.length === 0 || changed.length >= maxPages) return changed;
  const others = next.pagePaths.filter((path) => isSame(path, next, live)).slice(0, 1000);
  const affected = others.filter((path) => {
    const text = next.text(path) ?? "";
    return touched.some((gone) => text.includes(`"${encodeURI(gone)}`));
  });
  return [...changed, ...affected.slice(0, maxPages - changed.length)];
}

/** Live pages that show what a new page has in common with others. */
export function relatedPages(path: string, live: Site): string[] {
  const folder = path.replace(/[^/]+\/?$/, "");
  const near = live.pagePaths.find((other) => other !== folder && other.startsWith(folder));
  return [...new Set(["/", ...(near === undefined ? [] : [near])])].filter((kin) => {
    return live.pagePaths.includes(kin);
  });
}

/** A page in its new and its live version. */
export interface Comparison {
  path: string;
  next: PageInspection;
  /** Null for a new page. */
  live: PageInspection | null;
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

/** A defect: its first occurrence, and the pages and places that have it. */
interface FindingGroup {
  finding: Finding;
  pages: Set<string>;
  places: number;
}

/** Groups equal findings by key: the first one, and where else it occurs. */
function groupFindings(
  findings: Iterable<Finding>,
  key: (finding: Finding) => string,
): Map<string, FindingGroup> {
  const found = new Map<string, FindingGroup>();
  for (const finding of findings) {
    const existing = found.get(key(finding));
    existing?.pages.add(finding.page);
    if (existing) existing.places++;
    else found.set(key(finding), { finding, pages: new Set([finding.page]), places: 1 });
  }
  return found;
}

/** On each page, the same defect counts as new: an edit may repeat it. */
const identity = ({ placeFingerprint }: Finding): string => placeFingerprint;
const causeOf = ({ check, cause, placeFingerprint }: Finding): string =>
  cause === undefined ? placeFingerprint : `${check} ${cause}`;

/** A text that says where else the finding occurs. */
function elsewhere({ pages, places }: FindingGroup): string {
  const others = pages.size - 1;
  if (others > 0) return ` Also on ${others} other ${others === 1 ? "page" : "pages"}.`;
  if (places === 1) return "";
  return ` Also at ${places - 1} other ${places === 2 ? "place" : "places"} of the page.`;
}

function toReported(found: FindingGroup): CheckFinding {
  const { check, category, severity, page, target, message } = found.finding;
  return { check, category, severity, page, target, message: message + elsewhere(found) };
}

/** Whether a page would be blank, or without its own content that it has now. */
function isBlank({ next, live }: Comparison): boolean {
  if (!next.visibleSize) return false;
  if (next.visibleSize.whole === 0) return true;
  return next.visibleSize.own === 0 && (!live?.visibleSize || live.visibleSize.own > 0);
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * The changes in a build's quality; `baseline` are findings of other live pages, which aren't new.
 */
export function compare(pages: readonly Comparison[], baseline: readonly Finding[]): BuildReport {
  const found = pages.flatMap(({ next }) => next.findings);
  const after = groupFindings(found, identity);
  const before = groupFindings(
    pages.flatMap(({ live }) => live?.findings ?? []),
    identity,
  );
  const existing = new Set([...before.keys(), ...baseline.map(identity)]);
  const isNew = (finding: Finding) => !existing.has(identity(finding));
  // One change of style that affects many places is one finding.
  const fresh = [...groupFindings(found.filter(isNew), causeOf).values()];
  const count = (severity: CheckFinding["severity"]) =>
    fresh.filter(({ finding }) => finding.severity === severity).length;
  const broken = [...after.values()].filter(({ finding }) => leadingNowhere.has(finding.check));
  return {
    pages: pages.length,
    findings: fresh
      .toSorted((a, b) => weights[a.finding.severity] - weights[b.finding.severity])
      .slice(0, maxFindings)
      .map(toReported),
    added: { error: count("error"), warning: count("warning"), notice: count("notice") },
    fixed: groupFindings(
      [...before.values()].flatMap(({ finding }) => (after.has(identity(finding)) ? [] : finding)),
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
