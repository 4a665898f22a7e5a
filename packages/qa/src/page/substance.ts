import { attribute } from "./dom.ts";
import type { Page } from "./page.ts";
import { seenPictures, seenTexts } from "./texts.ts";

/** How much there is to see: characters, a picture counting as ten of them. */
export interface Substance {
  whole: number;
  /** Outside of the header, the footer and the navigation that pages share. */
  own: number;
}

const pictureWorth = 10;

/** Whether an image has something to show: one that is only measured counts nothing. */
function shows(name: string, value: (name: string) => string | undefined): boolean {
  if (name === "img") return (value("src") ?? "") !== "" || (value("srcset") ?? "") !== "";
  return name !== "input" || value("type") !== "hidden";
}

const told = new WeakMap<Page, Substance>();

/** Tells how much there is to see on a page. */
export function substanceOf(page: Page): Substance {
  const known = told.get(page);
  if (known) return known;
  const found: Substance = { whole: 0, own: 0 };
  for (const { text, holder, shared } of seenTexts(page)) {
    const worth = text.replace(/\s+/g, "").length;
    const skips = holder.name === "a" && (attribute(holder, "href") ?? "").startsWith("#");
    found.whole += worth;
    if (!shared && !skips) found.own += worth;
  }
  for (const { element, shared } of seenPictures(page)) {
    if (!shows(element.name, (name) => attribute(element, name))) continue;
    found.whole += pictureWorth;
    if (!shared) found.own += pictureWorth;
  }
  told.set(page, found);
  return found;
}
