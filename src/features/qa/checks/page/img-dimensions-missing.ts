import type { Check } from "../../check.ts";
import { attribute, isHidden } from "../../page/dom.ts";
import { readAddress } from "../../site/address.ts";

const pixels = /^\s*\d+(?:\.\d+)?\s*(?:px)?\s*$/;

/** A picture that doesn't say its size: the page jumps when it comes. */
export const imgDimensionsMissing: Check = {
  id: "img.dimensions-missing",
  category: "images",
  severity: "warning",
  *look(page, site) {
    const naturalOf = (src: string): { width: number; height: number } | null => {
      const target = readAddress(src, page.base, site.origin);
      if (target.kind !== "inside") return null;
      const size = site.answer?.(target.path, target.search)?.image;
      return size ? { width: size.width, height: size.height } : null;
    };
    for (const image of page.all("img")) {
      const sized = ["width", "height"].every((name) => pixels.test(attribute(image, name) ?? ""));
      const style = attribute(image, "style") ?? "";
      const styled =
        /\b(?:aspect-ratio|height)\s*:/i.test(style) && /\b(?:aspect-ratio|width)\s*:/i.test(style);
      if (sized || styled || isHidden(image)) continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        evidence: { src, natural: naturalOf(src) },
        message: `The picture ${src.split("/").at(-1) ?? ""} does not say its width and height.`,
      };
    }
  },
};
