import {
  attribute,
  closest,
  type Element,
  isHidden,
  isText,
  nodesBelow,
  isElement,
  roleOf,
} from "./dom.ts";
import type { Page } from "./page.ts";

/** How much there is to see: characters, a picture counting as ten of them. */
export interface Substance {
  whole: number;
  /** Outside of the header, the footer and the navigation that pages share. */
  own: number;
}

const pictures = new Set([
  "img",
  "svg",
  "video",
  "canvas",
  "iframe",
  "object",
  "embed",
  "input",
  "select",
  "textarea",
  "audio",
  // What only a script draws: nobody can say without one what there will be.
  "astro-island",
]);
const shared = new Set(["header", "footer", "nav"]);

function isShared(element: Element): boolean {
  return shared.has(element.name) || /^(?:banner|contentinfo|navigation)$/.test(roleOf(element));
}

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
  const body = page.first("body");
  const found: Substance = { whole: 0, own: 0 };
  for (const node of body ? nodesBelow(body) : []) {
    const words = isText(node) ? node.data.replace(/\s+/g, "").length : 0;
    const picture =
      isElement(node) &&
      pictures.has(node.name) &&
      shows(node.name, (name) => attribute(node, name));
    if (words === 0 && !picture) continue;
    const holder = isElement(node) ? node : node.parent;
    if (!isElement(holder) || isHidden(holder)) continue;
    const worth = words + (picture ? 10 : 0);
    found.whole += worth;
    const inMain =
      closest(holder, ({ name }) => name === "main" || name === "article") !== undefined;
    const inShared = !inMain && closest(holder, isShared) !== undefined;
    const skips = holder.name === "a" && (attribute(holder, "href") ?? "").startsWith("#");
    if (!inShared && !skips) {
      found.own += worth;
    }
  }
  told.set(page, found);
  return found;
}
