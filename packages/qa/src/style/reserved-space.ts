import { attribute, type Element, parentOf } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { type Matched, matchElement } from "./cascade.ts";
import { type PageStyles, stylesOf } from "./page-styles.ts";

/** Values that make a box as large as its content. */
const byContent =
  /^(?:auto|none|initial|unset|revert|revert-layer|normal|fit-content|min-content|max-content|-(?:moz|webkit)-fit-content)$/i;
const heights = new Set(["height", "block-size", "aspect-ratio"]);
/** The maximum number of boxes around an image that may reserve its space. */
const frames = 2;

const matches = new WeakMap<PageStyles, WeakMap<Element, Matched["own"]>>();

/** All declarations for an element, regardless of precedence. */
function declaredFor(styles: PageStyles, element: Element): Matched["own"] {
  const known = matches.get(styles) ?? new WeakMap<Element, Matched["own"]>();
  matches.set(styles, known);
  const own = known.get(element) ?? matchElement(styles, element).own;
  known.set(element, own);
  return own;
}

const plain = (value: string): string => value.trim().toLowerCase();

/** Outside the normal flow, or hidden: its size doesn't move anything else. */
function isOutOfFlow(own: Matched["own"]): boolean {
  return own.some(({ property, value }) => {
    const plainValue = plain(value);
    if (property === "position") return plainValue === "absolute" || plainValue === "fixed";
    return property === "display" && plainValue === "none";
  });
}

/**
 * Whether it has a height before its content loads. A percentage of the parent doesn't count for a
 * box.
 */
function hasHeight(own: Matched["own"], isFrame: boolean): boolean {
  return own.some(({ property, value }) => {
    if (!heights.has(property) || byContent.test(plain(value))) return false;
    return !isFrame || !plain(value).endsWith("%");
  });
}

/** Style sheets that a script activates later aren't read. */
const comesLater = (link: Element): boolean =>
  /\bpreload\b/i.test(attribute(link, "rel") ?? "") && attribute(link, "as") === "style";

/**
 * Whether style sheets reserve space for an image before it loads, or its size doesn't move
 * anything; null if unknown. A rule that may match counts, on any screen.
 */
export function hasReservedSpace(image: Element, page: Page, site: Site): boolean | null {
  const styles = stylesOf(page, site);
  if (styles.broken !== null || page.all("link").some(comesLater)) return null;
  let distance = 0;
  for (let at: Element | null = image; at && at.name !== "body"; at = parentOf(at)) {
    const own = declaredFor(styles, at);
    if (isOutOfFlow(own)) return true;
    if (distance <= frames && hasHeight(own, distance > 0)) return true;
    distance += 1;
  }
  return false;
}
