import { type Element, elementsBelow, isHiddenByMarkup } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { matchElement } from "./cascade.ts";
import { stylesOf } from "./page-styles.ts";

/** How many elements of a link, and of all links of a page, are searched for generated text. */
const maxElements = 50;
const maxPageElements = 2000;
/** How many elements of a page are searched for drawn boxes. */
const maxBoxes = 2000;

const searched = new WeakMap<Page, number>();

/** A character by its number, as escapes name it; a space for one that doesn't exist. */
const characterOf = (hex: string): string => {
  const code = Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ";
};

/** Whether a value of `content` is text that is read aloud; null if the style sheet doesn't tell. */
function isSpoken(value: string): boolean | null {
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/gs)];
  const text = strings
    .map(([, double, single]) => double ?? single ?? "")
    .join("")
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, hex: string) => characterOf(hex))
    // Letters of an icon font belong to no language.
    .replace(/\p{Co}/gu, "");
  if (/[\p{L}\p{N}]/u.test(text)) return true;
  return /\b(?:attr|var|counters?)\(/i.test(value) ? null : false;
}

function* withBelow(element: Element): Generator<Element> {
  yield element;
  yield* elementsBelow(element);
}

/**
 * Whether style sheets write text into an element, by `::before` and `::after`. Null if that is
 * unknown: a style sheet can't be read, or takes its text from somewhere else.
 */
export function hasGeneratedText(page: Page, site: Site, element: Element): boolean | null {
  const styles = stylesOf(page, site);
  if (styles.broken !== null) return null;
  let isUnknown = false;
  let count = 0;
  const before = searched.get(page) ?? 0;
  for (const at of withBelow(element)) {
    if (++count > maxElements || before + count > maxPageElements) return null;
    searched.set(page, before + count);
    for (const { property, value } of matchElement(styles, at).generated) {
      const spoken = property === "content" ? isSpoken(value) : false;
      if (spoken) return true;
      isUnknown ||= spoken === null;
    }
  }
  return isUnknown ? null : false;
}

const painting =
  /^(?:background(?:-color|-image)?|border(?:-\w+)*|outline|box-shadow|content|mask(?:-image)?)$/;
const paintsNothing =
  /^(?:[\w-]+:)?\s*(?:none|transparent|unset|initial|inherit|normal|0(?:px)?(?: .*)?|""|'')?\s*$/i;

/**
 * Whether style sheets draw something in the body of a page that has no content: a box with a
 * color, a border, or an image. Null if that is unknown. Call it for pages without content only,
 * because it matches every element.
 */
export function drawsBoxes(page: Page, site: Site): boolean | null {
  const body = page.first("body");
  const styles = stylesOf(page, site);
  if (!body) return false;
  if (styles.broken !== null) return null;
  let count = 0;
  for (const element of elementsBelow(body)) {
    if (++count > maxBoxes) return null;
    if (isHiddenByMarkup(element)) continue;
    const { own, generated } = matchElement(styles, element);
    const draws = [...own, ...generated].some(
      ({ property, value }) => painting.test(property) && !paintsNothing.test(value),
    );
    if (draws) return true;
  }
  return false;
}
