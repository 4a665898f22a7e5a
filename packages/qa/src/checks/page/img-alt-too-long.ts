import { type Check, quote } from "../../check.ts";
import { attribute, isHiddenFromReaders } from "../../page/dom.ts";

/**
 * In characters: screen readers read alt text in one go, without a way to pause or go
 * back.
 */
const maxLength = 250;

/** Reports alt text so long that it belongs beside the image as a description. */
export const imgAltTooLong: Check = {
  id: "img.alt-too-long",
  category: "images",
  severity: "notice",
  *run(page) {
    for (const image of page.all("img")) {
      const alt = (attribute(image, "alt") ?? "").trim();
      if (alt.length <= maxLength || isHiddenFromReaders(image)) continue;
      yield {
        target: attribute(image, "src") ?? null,
        at: image,
        evidence: { length: alt.length, alt: alt.slice(0, 400) },
        safe: true,
        message: `The alt text ${quote(alt)} is ${alt.length} characters long.`,
      };
    }
  },
};
