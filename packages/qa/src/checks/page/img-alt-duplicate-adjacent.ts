import { type Check, quote } from "../../check.ts";
import {
  attribute,
  closest,
  elementsBelow,
  type Element,
  isHiddenFromReaders,
  textOf,
} from "../../page/dom.ts";

const plain = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

/** The text next to an image: of the link around it, or its caption. */
function adjacentText(image: Element): { text: string; link: boolean } | null {
  const link = closest(image, ({ name }) => name === "a" || name === "button");
  if (link) return { text: textOf(link), link: true };
  const figure = closest(image, ({ name }) => name === "figure");
  const caption = figure && [...elementsBelow(figure)].find(({ name }) => name === "figcaption");
  return caption ? { text: textOf(caption), link: false } : null;
}

/**
 * Reports alt text that repeats the text next to the image: screen readers read it
 * twice.
 */
export const imgAltDuplicateAdjacent: Check = {
  id: "img.alt-duplicate-adjacent",
  category: "images",
  severity: "notice",
  *run(page) {
    for (const image of page.all("img")) {
      const alt = plain(attribute(image, "alt") ?? "");
      if (alt === "" || isHiddenFromReaders(image)) continue;
      const beside = adjacentText(image);
      if (!beside || plain(beside.text) !== alt) continue;
      yield {
        target: attribute(image, "src") ?? null,
        at: image,
        evidence: { alt, caption: beside.text },
        // In a link, the text is already there: the image needs none.
        safe: beside.link,
        message: `The alt text ${quote(alt)} repeats the text next to the image.`,
      };
    }
  },
};
