import { createHash } from "node:crypto";
import {
  attribute,
  closest,
  type Element,
  elementsBelow,
  parentOf,
  roleOf,
  textOf,
} from "./page/dom.ts";
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
  /**
   * The same target, or the same place without one, is the same defect on every page. For elements
   * of the page it always is: see `identityOf`.
   */
  shared?: boolean;
  /** As for the check, but for this result only. */
  byComponent?: boolean;
  byElement?: boolean;
  /** What the place was named when earlier versions reported it; see `Finding.formerly`. */
  formerAt?: string;
  /** The same for its target. */
  formerTarget?: string;
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
  /** Its targets are kinds of defects, not addresses: at different elements, they are different. */
  byElement?: true;
  /**
   * Its defects come from how an element is written, not from what it shows: elements with the same
   * names and classes are one defect, with its places.
   */
  byComponent?: true;
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

/** Elements whose text is the whole page. */
const wholePage = new Set(["html", "head", "body"]);

const textMarkOf = (element: Element): string => textOf(element).slice(0, 80);

/** Tells elements at the same place apart: by their text, or by the file or the field they show. */
function markOf(element: Element): string {
  if (wholePage.has(element.name)) return "";
  const text = textMarkOf(element);
  if (text !== "") return text;
  const names = ["src", "href", "data", "name", "id"];
  for (const at of [element, ...elementsBelow(element).take(5)]) {
    const found = names.map((name) => attribute(at, name)).find((value) => value !== undefined);
    if (found !== undefined) return stableTarget(found).slice(0, 200);
  }
  return "";
}

/**
 * The names that elements of one component or style have in common: from the nearest class or id
 * down to the element; null without one.
 */
function componentOf(place: string): string | null {
  const steps = place.split(" ");
  const at = steps.findLastIndex((step) => /[.#]/.test(step));
  return at === -1 ? null : steps.slice(at).join(" ");
}

const isByElement = (check: CheckKind, seen: PageReport): boolean =>
  seen.byElement ?? check.byElement === true;

/** The component that a defect comes from, if the check goes by components. */
function sharedComponent(check: CheckKind, seen: PageReport): string | null {
  const place = typeof seen.at === "object" ? locate(seen.at) : seen.at;
  const isOfComponent = seen.byComponent ?? check.byComponent === true;
  return isOfComponent && place !== undefined ? componentOf(place) : null;
}

type Identity = readonly [check: string, page: string, target: string, at: string, mark: string];

const digest = (identity: Identity): string =>
  createHash("sha256").update(identity.join("\0")).digest("hex").slice(0, 24);

/**
 * What identifies a defect across runs and builds: without lines, positions, or generated names,
 * and without the page if the same cause has the same defect on others. That is the same target, or
 * an element at the same place with the same content. A cause is never recognized by the number of
 * its pages, because that may change with every run.
 */
function identityOf(check: CheckKind, page: string, seen: PageReport): Identity {
  const component = sharedComponent(check, seen);
  if (component === null) return ownIdentityOf(check, page, seen);
  const target = isByElement(check, seen) ? stableTarget(seen.target ?? "") : "";
  return [checkOf(check, seen), "", target, component, ""];
}

/** The identity of a defect that it shares with no other element of its kind. */
function ownIdentityOf(check: CheckKind, page: string, seen: PageReport): Identity {
  const element = typeof seen.at === "object" ? seen.at : undefined;
  const place = element ? locate(element) : ((seen.at as string | undefined) ?? "");
  const target = seen.target === undefined || seen.target === null ? "" : stableTarget(seen.target);
  const hasTarget = seen.target !== undefined && seen.target !== null;
  const id = checkOf(check, seen);
  if (seen.shared) return [id, "", target, place, ""];
  if (!element) return [id, page, target, hasTarget ? "" : place, ""];
  if (hasTarget && !isByElement(check, seen)) return [id, "", target, "", ""];
  return [id, "", target, place, markOf(element)];
}

/**
 * The identities of the defect on its own page, unless all pages share the place: how builds are
 * compared, and how earlier versions identified it. The first one is exact for this defect.
 */
function placeIdentities(check: CheckKind, page: string, seen: PageReport): Identity[] {
  const element = typeof seen.at === "object" ? seen.at : undefined;
  const place = seen.formerAt ?? (element ? locate(element) : ((seen.at as string) ?? ""));
  const hasTarget = seen.target !== undefined && seen.target !== null;
  const target = hasTarget ? stableTarget(seen.target ?? "") : "";
  const id = checkOf(check, seen);
  const text = element && seen.formerAt === undefined ? textMarkOf(element) : "";
  const own = element !== undefined && isShared(element) ? "" : page;
  const at = hasTarget ? "" : place;
  const mark = hasTarget ? "" : text;
  const everywhere: Identity = [id, "", target, place, ""];
  const here: Identity = [id, own, target, at, mark];
  return [...(seen.shared ? [everywhere, here] : [here, everywhere]), [id, page, target, at, mark]];
}

const formerTargetOf = (check: CheckKind, seen: PageReport, target: string): string =>
  digest([checkOf(check, seen), "", stableTarget(target), "", ""]);

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
  const fingerprint = digest(identityOf(check, page, seen));
  const places = placeIdentities(check, page, seen).map(digest);
  const own = digest(ownIdentityOf(check, page, seen));
  const named =
    seen.formerTarget === undefined ? [] : [formerTargetOf(check, seen, seen.formerTarget)];
  const formerly = [...new Set([own, ...named, ...places])].filter((one) => one !== fingerprint);
  return {
    check: checkOf(check, seen),
    category: check.category,
    severity,
    page,
    target: target === null ? null : target.slice(0, 500),
    message: seen.message,
    ...(seen.cause !== undefined && { cause: seen.cause }),
    ...(sharedComponent(check, seen) !== null && { isOfComponent: true as const }),
    ...(seen.needsScript && { needsScript: seen.needsScript }),
    fingerprint,
    placeFingerprint: places[0] ?? fingerprint,
    ...(formerly.length > 0 && { formerly }),
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
