import type { Check } from "../../check.ts";
import { attribute, isHidden } from "../../page/dom.ts";

const size = /^\s*\d+(?:\.\d+)?\s*(?:px)?\s*$/;

/** A picture that doesn't say its size: the page jumps when it comes. */
export const imgDimensionsMissing: Check = {
  id: "img.dimensions-missing",
  category: "images",
  severity: "warning",
  *look(page) {
    for (const image of page.all("img")) {
      const sized = ["width", "height"].every((name) => size.test(attribute(image, name) ?? ""));
      const style = attribute(image, "style") ?? "";
      const styled =
        /\b(?:aspect-ratio|height)\s*:/i.test(style) && /\b(?:aspect-ratio|width)\s*:/i.test(style);
      if (sized || styled || isHidden(image)) continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        message: `The picture ${src.split("/").at(-1) ?? ""} does not say its width and height.`,
      };
    }
  },
};
