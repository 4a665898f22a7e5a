import type { Check } from "../../check.ts";
import {
  attribute,
  closest,
  type Element,
  isHiddenFromReaders,
  isPresentational,
} from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import type { Page } from "../../page/page.ts";
import { linksOf, formatTarget } from "../addresses.ts";

/** The first image of each link that has one. */
function imagesInLinks(page: Page): Map<Element, Element> {
  const found = new Map<Element, Element>();
  for (const image of page.all("img")) {
    const link = closest(image, ({ name }) => name === "a");
    if (link && !found.has(link)) found.set(link, image);
  }
  return found;
}

/** Reports a link whose only content is an image without alt text. */
export const imgLinkNoAlt: Check = {
  id: "img.link-no-alt",
  category: "images",
  severity: "error",
  *run(page, site) {
    const images = imagesInLinks(page);
    if (images.size === 0) return;
    for (const link of linksOf(page, site)) {
      const { element } = link;
      const image = images.get(element);
      if (!image || isHiddenFromReaders(element) || accessibleName(page, element) !== "") continue;
      // An image without an alt attribute is reported by img.alt-missing.
      if (attribute(image, "alt") === undefined && !isPresentational(image)) continue;
      const target = formatTarget(link);
      yield {
        target,
        at: element,
        evidence: { href: link.raw, src: attribute(image, "src") ?? "", act: ["c487ae"] },
        safe: true,
        message: `The image that links to ${target} has no alt text.`,
      };
    }
  },
};
