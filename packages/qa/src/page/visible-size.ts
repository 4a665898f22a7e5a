import { attribute } from "./dom.ts";
import type { Page } from "./page.ts";
import { visibleImages, visibleTexts } from "./visible-texts.ts";

/** How much there is to see: characters, with an image counting as ten. */
export interface VisibleSize {
  whole: number;
  /** Outside the header, footer, and navigation that pages share. */
  own: number;
}

const imageWeight = 10;

/** Whether an image shows anything: a tracking pixel doesn't. */
function shows(name: string, value: (name: string) => string | undefined): boolean {
  if (name === "img") return (value("src") ?? "") !== "" || (value("srcset") ?? "") !== "";
  return name !== "input" || value("type") !== "hidden";
}

const sizeCache = new WeakMap<Page, VisibleSize>();

/** Measures how much there is to see on a page. */
export function visibleSizeOf(page: Page): VisibleSize {
  const known = sizeCache.get(page);
  if (known) return known;
  const found: VisibleSize = { whole: 0, own: 0 };
  for (const { text, parent, shared } of visibleTexts(page)) {
    const worth = text.replace(/\s+/g, "").length;
    const skips = parent.name === "a" && (attribute(parent, "href") ?? "").startsWith("#");
    found.whole += worth;
    if (!shared && !skips) found.own += worth;
  }
  for (const { element, shared } of visibleImages(page)) {
    if (!shows(element.name, (name) => attribute(element, name))) continue;
    found.whole += imageWeight;
    if (!shared) found.own += imageWeight;
  }
  sizeCache.set(page, found);
  return found;
}
