import type { BuildReport, CheckFinding } from "../runs/schema.ts";
import type { Finding } from "./check.ts";
import type { PageLook } from "./look.ts";
import type { Site } from "./site/site.ts";

/** No more pages than this are looked at for one build. */
export const mostPages = 200;
const mostFindings = 100;

/** Whether a page's own bytes are the same on both sites. */
function isSame(path: string, next: Site, live: Site | null): boolean {
  return live?.files[path]?.hash === next.files[path]?.hash;
}

/** What other pages may depend on: what is gone, and style sheets that changed under their name. */
function touchedPaths(next: Site, live: Site): string[] {
  return Object.keys(live.files).filter((path) => {
    const now = next.files[path];
    if (!now) return !/^\/_astro\//.test(path);
    return now.type.startsWith("text/css") && !isSame(path, next, live);
  });
}

/**
 * The pages that a build changes: those whose bytes differ, and those that name something that is gone
 * or looks different. At most `mostPages`.
 */
export function changedPages(next: Site, live: Site | null): string[] {
  const changed = next.pagePaths.filter((path) => !isSame(path, next, live));
  const touched = live ? touchedPaths(next, live).slice(0, 50) : [];
  if (touched.length === 0 || changed.length >= mostPages) return changed.slice(0, mostPages);
  const others = next.pagePaths.filter((path) => isSame(path, next, live)).slice(0, 1000);
  const affected = others.filter((path) => {
    const text = next.text(path) ?? "";
    return touched.some((gone) => text.includes(`"${encodeURI(gone)}`));
  });
  return [...changed, ...affected].slice(0, mostPages);
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

/** Findings by what they are; of one defect on several pages the first, and how many pages have it. */
function gather(findings: Iterable<Finding>): Map<string, { finding: Finding; pages: number }> {
  const found = new Map<string, { finding: Finding; pages: number }>();
  for (const finding of findings) {
    const known = found.get(finding.fingerprint);
    if (known) known.pages++;
    else found.set(finding.fingerprint, { finding, pages: 1 });
  }
  return found;
}

function toReported({ finding, pages }: { finding: Finding; pages: number }): CheckFinding {
  const { check, category, severity, page, target, message } = finding;
  const others = pages - 1;
  const more = others > 0 ? ` Also on ${others} other ${others === 1 ? "page" : "pages"}.` : "";
  return { check, category, severity, page, target, message: message + more };
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
  const after = gather(pages.flatMap(({ next }) => next.findings));
  const before = gather(pages.flatMap(({ live }) => live?.findings ?? []));
  const known = new Set([...before.keys(), ...baseline.map(({ fingerprint }) => fingerprint)]);
  const fresh = [...after].filter(([key]) => !known.has(key)).map(([, found]) => found);
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
    fixed: [...before.keys()].filter((key) => !after.has(key)).length,
    brokenLinks: new Set(broken.map(({ finding }) => finding.target)).size,
    bytes: {
      before: sum(pages.map(({ live }) => live?.bytes ?? 0)),
      after: sum(pages.map(({ next }) => next.bytes)),
    },
    blank: pages.filter(isBlank).map(({ path }) => path),
  };
}
