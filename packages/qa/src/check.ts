import { createHash } from "node:crypto";
import { attribute, closest, type Element, parentOf, roleOf, textOf } from "./page/dom.ts";
import type { Visit } from "./browser/visit.ts";
import type { Confidence, NeedsScript, Evidence, Finding, Severity } from "./finding.ts";
import type { Crawl } from "./crawl/crawl.ts";
import type { Page } from "./page/page.ts";
import type { Probes } from "./probe/probes.ts";
import type { Site } from "./site/site.ts";

/** A check's result about a place in a page. */
export interface PageReport {
  /** What it is about: an address, a file, a word; null for the page. */
  target?: string | null;
  /** Where it is, independent of changes elsewhere: no line numbers or positions. */
  at?: Element | string;
  /** For a check with many rules: which one; the finding's check is `id.rule`. */
  rule?: string;
  /** One plain sentence for the owner. */
  message: string;
  severity?: Severity;
  /** The same defect on other pages is this one, because it comes from shared content. */
  shared?: boolean;
  /** The common cause of several new findings, such as a color: they are reported as one. */
  cause?: string;
  /** What scripts may have changed. */
  needsScript?: NeedsScript | undefined;
  evidence?: Evidence;
  /** Whether this case may be fixed unattended; defaults to the check's value. */
  safe?: boolean;
  confidence?: Confidence;
  /** Its location for people, if `at` isn't an element of the page. */
  location?: { selector?: string; line?: number | null; text?: string };
}

/** Common properties of all kinds of checks. */
export interface CheckKind {
  /** As in the catalog: `link.internal-broken`. */
  id: string;
  category: string;
  severity: Severity;
  /** Should be fixed first: something is open that must not be. */
  critical?: true;
  /** May be fixed unattended. */
  safe?: true;
}

/** A possible defect in a page's markup. Each is a file in checks/page/. */
export interface Check extends CheckKind {
  /** A substitute for a browser: skipped if one has checked the page. */
  isBrowserFallback?: true;
  /** Skipped for builds: it is about the site's state, not the edit. */
  skipForBuilds?: true;
  run(page: Page, site: Site): Iterable<PageReport>;
}

/** A site check's result; `page` is one of its pages, `/` for the site as a whole. */
export interface SiteReport extends PageReport {
  page: string;
  /** Further occurrences besides the one at `page`. */
  otherLocations?: readonly { page: string; selector: string; line: number | null; text: string }[];
}

/** A possible defect in a site's responses. Each is a file in checks/site/. */
export interface SiteCheck extends CheckKind {
  scope: "site" | "external" | "probe";
  run(crawl: Crawl, probes: Probes): Iterable<SiteReport>;
}

/** A possible defect of a page in a browser. Each is a file in checks/browser/. */
export interface BrowserCheck extends CheckKind {
  run(visit: Visit): Iterable<PageReport>;
}

/** The target without a build's content hash, which changes whenever the content does. */
function stableTarget(target: string): string {
  return target.replace(/(\/_astro\/[^?#]*?)[._-][\w-]{8}(\.\w+)(?=[?#]|$)/, "$1$2");
}

/** An element's classes without generated ones (`astro-abc123`, `data-astro-cid-…`). */
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

/**
 * The part of the page that contains an element, and the few names around it, without positions.
 */
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

/**
 * Whether an element is in content that all pages share: the site's header, footer, and navigation.
 */
export function isShared(element: Element): boolean {
  if (closest(element, (at) => at.name === "main" || at.name === "article")) return false;
  return closest(element, (at) => chrome.has(at.name) || chromeRoles.has(roleOf(at))) !== undefined;
}

const checkOf = ({ id }: CheckKind, { rule }: PageReport): string =>
  rule === undefined ? id : `${id}.${rule}`;

/** Identifies a defect across runs and builds: without lines, positions, or generated names. */
function fingerprintOf(check: CheckKind, page: string, seen: PageReport): string {
  const element = typeof seen.at === "object" ? seen.at : undefined;
  const locator = element ? locate(element) : (seen.at ?? "");
  const shared = seen.shared ?? (element !== undefined && isShared(element));
  const target = seen.target ?? null;
  const identity = [
    checkOf(check, seen),
    shared ? "" : page,
    target === null ? "" : stableTarget(target),
    // With a target, its place on the page doesn't matter.
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

/** Converts a check's report about a page to a finding; `page` is its path. */
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
    // An uncertain result isn't an error.
    critical: check.critical === true && severity === "error",
    confidence: seen.confidence ?? "confirmed",
    location: locationOf(seen),
  };
}

/** A page's text in a message, short and on one line. */
export function quote(text: string, max = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `“${line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line}”`;
}
