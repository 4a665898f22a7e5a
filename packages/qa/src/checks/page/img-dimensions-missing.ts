import type { Check } from "../../check.ts";
import { attribute, isHidden } from "../../page/dom.ts";
import { readAddress } from "../../site/address.ts";
import { hasReservedSpace } from "../../style/reserved-space.ts";

const pixels = /^\s*\d+(?:\.\d+)?\s*(?:px)?\s*$/;

/** Reports an image whose size is unknown until it loads: the page shifts then. */
export const imgDimensionsMissing: Check = {
  id: "img.dimensions-missing",
  category: "images",
  severity: "warning",
  byComponent: true,
  *run(page, site) {
    const naturalOf = (src: string): { width: number; height: number } | null => {
      const target = readAddress(src, page.base, site.origin);
      if (target.kind !== "inside") return null;
      const size = site.response?.(target.path, target.search)?.image;
      return size ? { width: size.width, height: size.height } : null;
    };
    for (const image of page.all("img")) {
      const sized = ["width", "height"].every((name) => pixels.test(attribute(image, name) ?? ""));
      if (sized || isHidden(image)) continue;
      const src = attribute(image, "src") ?? "";
      // A data URL is available at once.
      if (/^\s*data:/i.test(src) && attribute(image, "srcset") === undefined) continue;
      const hasRoom = hasReservedSpace(image, page, site);
      if (hasRoom === true) continue;
      const says = `The image ${src.split("/").at(-1) ?? ""} has no width and height`;
      yield {
        target: src || null,
        at: image,
        evidence: { src, natural: naturalOf(src) },
        ...(hasRoom === null && { severity: "notice", confidence: "review" }),
        message:
          hasRoom === null
            ? `${says}, unless a style sheet that couldn’t be read sets them.`
            : `${says}.`,
      };
    }
  },
};
