import type { Check } from "../../check.ts";
import { attribute, elementsBelow, isHiddenFromReaders, isPresentational } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import { linksOf, shownTarget } from "../addresses.ts";

/** A link around a picture that says nothing in words. */
export const imgLinkNoAlt: Check = {
  id: "img.link-no-alt",
  category: "images",
  severity: "error",
  *look(page, site) {
    for (const link of linksOf(page, site)) {
      const { element } = link;
      const image = [...elementsBelow(element)].find(({ name }) => name === "img");
      if (!image || isHiddenFromReaders(element) || accessibleName(page, element) !== "") continue;
      // Without any alt at all img.alt-missing tells it.
      if (attribute(image, "alt") === undefined && !isPresentational(image)) continue;
      const target = shownTarget(link);
      yield {
        target,
        at: element,
        evidence: { href: link.raw, src: attribute(image, "src") ?? "" },
        safe: true,
        message: `The picture that links to ${target} has no words.`,
      };
    }
  },
};
