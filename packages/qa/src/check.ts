import { createHash } from "node:crypto";
import { attribute, closest, type Element, parentOf, roleOf, textOf } from "./page/dom.ts";
import type { Visit } from "./browser/visit.ts";
import type { Confidence, NeedsScript, Evidence, Finding, Severity } from "./finding.ts";
import type { Crawl } from "./crawl/crawl.ts";
import type { Page } from "./page/page.ts";
import type { Probes } from "./probe/probes.ts";
import type { Site } from "./site/site.ts";

/** What a check says of a place in a page. */
export interface PageReport {
  /** What it is about: an address, a file, a word; null when it is the page. */
  target?: string | null;
  /** Where it is, in a way that outlives changes elsewhere: no line numbers, no positions. */
  at?: Element | string;
  /** Of a check that stands for many rules: which; the finding's check is `id.rule`. */
  rule?: string;
  /** Said to the owner, in one plain sentence. */
  message: string;
  severity?: Severity;
  /** The same defect on other pages is this one: it comes from what they share. */
  shared?: boolean;
  /** What brings several new findings at once, such as one color: they are told as one. */
  cause?: string;
  /** What scripts may have changed. */
  needsScript?: NeedsScript | undefined;
  evidence?: Evidence;
  /** Whether this case may be fixed unattended; left out: as the check says. */
  safe?: boolean;
  confidence?: Confidence;
  /** Where it is, for people, when `at` is no element of the page. */
  location?: { selector?: string; line?: number | null; text?: string };
}

/** What every kind of check has. */
export interface CheckKind {
  /** As the catalog has it: `link.internal-broken`. */
  id: string;
  category: string;
  severity: Severity;
  /** To be looked at before everything else: something is open that must not be. */
  critical?: true;
  /** May be fixed unattended. */
  safe?: true;
}

/** One thing that can be wrong with a page by its markup. Each is a file of checks/page/. */
export interface Check extends CheckKind {
  /** Stands in for a browser: not asked where one has looked at the page. */
  isBrowserFallback?: true;
  /** Left out where one edit's build is looked at: it tells of the site's state, not of the edit. */
  skipForBuilds?: true;
  run(page: Page, site: Site): Iterable<PageReport>;
}

/** What a check of a site says; `page` is a page of it, `/` where it is the site as a whole. */
export interface SiteReport extends PageReport {
  page: string;
  /** More places of the same, beyond the one at `page`. */
  otherLocations?: readonly { page: string; selector: string; line: number | null; text: string }[];
}

/** One thing that can be wrong with a site as it answers. Each is a file of checks/site/. */
export interface SiteCheck extends CheckKind {
  scope: "site" | "external" | "probe";
  run(crawl: Crawl, probes: Probes): Iterable<SiteReport>;
}

/** One thing that can be wrong with a page as a browser shows it. Each is a file of checks/browser/. */
export interface BrowserCheck extends CheckKind {
  run(visit: Visit): Iterable<PageReport>;
}

/** A name that a build gives anew whenever the content changes is no name to know a file by. */
function stableTarget(target: string): string {
  return target.replace(/(\/_astro\/[^?#]*?)[._-][\w-]{8}(\.\w+)(?=[?#]|$)/, "$1$2");
}

/** Classes that a build makes up (`astro-abc123`, `data-astro-cid-…`) are no names either. */
function classesOf(element: Element): string {
  const written = attribute(element, "class");
  if (written === undefined) return "";
  const names = written.split(/\s+/);
  const stable = names.filter(
    (name) => /^[a-z][a-z-]{1,30}$/i.test(name) && !name.startsWith("astro-"),
  );
  return stable
    .slice(0, 3)
    .map((name) => `.${name}`)
    .join("");
}

/** The part of the page that an element is in and the few names around it, without positions. */
export function locate(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const id = attribute(at, "id");
    steps.push(`${at.name}${classesOf(at)}`);
    if (steps.length >= 4 || at.name === "body") break;
    if (id !== undefined && at !== element) {
      steps.push(`#${id}`);
      break;
    }
  }
  return steps.toReversed().join(" ");
}

const chrome = new Set(["header", "footer", "nav"]);
const chromeRoles = new Set(["banner", "contentinfo", "navigation"]);

/** Whether an element belongs to what all pages share: the head, foot and navigation of the site. */
export function isShared(element: Element): boolean {
  if (closest(element, (at) => at.name === "main" || at.name === "article")) return false;
  return closest(element, (at) => chrome.has(at.name) || chromeRoles.has(roleOf(at))) !== undefined;
}

const checkOf = ({ id }: CheckKind, { rule }: PageReport): string =>
  rule === undefined ? id : `${id}.${rule}`;

/** What names a defect across runs and builds: no line, no position, no name that a build makes up. */
function fingerprintOf(check: CheckKind, page: string, seen: PageReport): string {
  const element = typeof seen.at === "object" ? seen.at : undefined;
  const locator = element ? locate(element) : (seen.at ?? "");
  const shared = seen.shared ?? (element !== undefined && isShared(element));
  const target = seen.target ?? null;
  const identity = [
    checkOf(check, seen),
    shared ? "" : page,
    target === null ? "" : stableTarget(target),
    // Where the target is told, its place on the page matters no more.
    target === null || seen.shared ? (typeof seen.at === "string" ? seen.at : locator) : "",
    element && target === null && !seen.shared ? textOf(element).slice(0, 80) : "",
  ];
  return createHash("sha256").update(identity.join("\0")).digest("hex").slice(0, 24);
}

function locationOf({ at, location }: PageReport): Finding["location"] {
  const element = typeof at === "object" ? at : undefined;
  return {
    selector: location?.selector ?? (element ? locate(element) : (at ?? "")).toString(),
    line: location?.line ?? element?.sourceCodeLocation?.startLine ?? null,
    text: location?.text ?? (element ? textOf(element).slice(0, 80) : ""),
  };
}

/** Makes a finding of what a check saw on a page; `page` is its path. */
export function toFinding(check: CheckKind, page: string, seen: PageReport): Finding {
  const target = seen.target ?? null;
  const severity = seen.severity ?? check.severity;
  return {
    check: checkOf(check, seen),
    category: check.category,
    severity,
    page,
    target: target === null ? null : target.slice(0, 500),
    message: seen.message,
    ...(seen.cause !== undefined && { cause: seen.cause }),
    ...(seen.needsScript && { needsScript: seen.needsScript }),
    fingerprint: fingerprintOf(check, page, seen),
    evidence: seen.evidence ?? {},
    isSafe: seen.safe ?? check.safe ?? false,
    // What such a check is in doubt about is no alarm.
    critical: check.critical === true && severity === "error",
    confidence: seen.confidence ?? "confirmed",
    location: locationOf(seen),
  };
}

/** Words of the page in a message, short and on one line. */
export function quote(text: string, max = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `“${line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line}”`;
}
