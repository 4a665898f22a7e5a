import type { NeedsScript, Finding } from "../finding.ts";
import { attribute, type Element, isElement, rawText, textOf } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { readAddress } from "../site/address.ts";
import type { Site, SiteResponse } from "../site/site.ts";
import { isBroken } from "./addresses.ts";
import { nearestFragment } from "./candidates.ts";

/**
 * What a browser showed of a page after its scripts ran: enough to settle what the scripts leave in
 * doubt.
 */
export interface RenderedPage {
  /**
   * Ids and names that fragments can point to, in order; `truncated` if there were more than are
   * kept.
   */
  fragmentTargets: readonly string[];
  truncated: boolean;
  /** Whether there is a main heading. */
  heading: boolean;
  /** Text that looks like a part of a template or an empty value, as rendered. */
  leftovers: readonly string[];
  /**
   * The same in elements that aren't displayed when the page opens: a menu, a tab, a template for
   * scripts.
   */
  hidden: readonly string[];
}

/** The ways in which a script adds elements, names, or text to a page. */
const filling =
  /\b(?:innerHTML|outerHTML|insertAdjacent\w+|append\w*|prepend|before|after|replace(?:With|Children)|insert(?:Before|Node)|create(?:Element\w*|ContextualFragment|TextNode)|write(?:ln)?|textContent|innerText|nodeValue|data|setHTML\w*|parseFromString|cloneNode|import|eval|Function|attachShadow|define)\b|\.id\s*=|["'`]id["'`]/;

const isServerError = (response: SiteResponse | undefined): boolean =>
  response !== undefined && (response.status === null || response.status >= 500);

/** Whether a script may add to what a page shows; true for a script that can't be read. */
function canFill(script: Element, page: Page, site: Site): boolean {
  if (!/^(?:module|.*(?:java|ecma)script)?$/i.test((attribute(script, "type") ?? "").trim()))
    return false;
  const src = attribute(script, "src");
  if (src === undefined) return filling.test(rawText(script));
  const target = readAddress(src, page.base, site.origin);
  if (target.kind !== "inside") return target.kind === "outside";
  // A script that doesn't exist does nothing. If its server has a problem, nothing is known about
  // it.
  if (isBroken(site, target)) return isServerError(site.response?.(target.path, target.search));
  const text = target.search === "" ? site.text(target.path) : undefined;
  return text === undefined || filling.test(text);
}

const resultCache = new WeakMap<Site, Map<string, boolean>>();

/**
 * Whether scripts may add to the page at a path what its markup lacks; true if the page can't be
 * read. Cached by path, because a page that many others link to is dropped from memory and parsed
 * again.
 */
export function canBeFilledAt(path: string, site: Site, read = () => site.page(path)): boolean {
  const paths = resultCache.get(site) ?? new Map<string, boolean>();
  resultCache.set(site, paths);
  const known = paths.get(path);
  if (known !== undefined) return known;
  const page = read();
  const may = !page || page.all("script").some((script) => canFill(script, page, site));
  paths.set(path, may);
  return may;
}

/** Whether scripts may add to a page what its markup lacks. */
export const canBeFilled = (page: Page, site: Site): boolean =>
  canBeFilledAt(page.path, site, () => page);

/**
 * Whether a page has room for generated content: an empty container with an id or class, or an
 * empty custom element.
 */
export function hasEmptyContainer(page: Page): boolean {
  return page.elements.some(
    (element) =>
      (element.name.includes("-") ||
        (/^(?:div|main|section|article|header|span)$/.test(element.name) &&
          (attribute(element, "id") ?? attribute(element, "class")) !== undefined)) &&
      !element.children.some((child) => isElement(child)) &&
      textOf(element) === "",
  );
}

/** Marks a finding that is only seen in the markup: a person has to look at the page. */
const unsure = (finding: Finding): Finding => ({
  ...finding,
  severity: "notice",
  confidence: "review",
  critical: false,
  isSafe: false,
});

/** Whether the finding still holds; null if that is unknown. */
function stands({ kind: about, what }: NeedsScript, shown: RenderedPage): boolean | null {
  if (about === "heading") return !shown.heading;
  if (about === "text") {
    if (shown.leftovers.includes(what)) return true;
    return shown.hidden.includes(what) ? null : false;
  }
  return shown.fragmentTargets.includes(what) ? false : shown.truncated ? null : true;
}

/**
 * Whether the most similar fragment in the markup still exists, and no fragment that a script made
 * is similar.
 */
function isStillReported(
  { evidence }: Finding,
  { what }: NeedsScript,
  { fragmentTargets: places }: RenderedPage,
): boolean {
  const near = nearestFragment(places, what);
  return near !== null && near.isClear && near.id === evidence["nearest"];
}

/**
 * What remains of a doubtful finding after a browser has shown its page, or hasn't (undefined): the
 * finding, a finding for review, or nothing. Its fingerprint stays the same.
 */
export function resolveNeedsScript(
  finding: Finding,
  shown: RenderedPage | undefined,
): Finding | null {
  const { needsScript, ...sure } = finding;
  if (!needsScript) return finding;
  const response = shown ? stands(needsScript, shown) : null;
  if (response === null || !shown) return unsure(sure);
  if (!response) return null;
  return {
    ...sure,
    isSafe:
      sure.isSafe && (needsScript.kind !== "place" || isStillReported(sure, needsScript, shown)),
  };
}
