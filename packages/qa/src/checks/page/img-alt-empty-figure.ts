import { type Check, locate } from "../../check.ts";
import { attribute, closest, isHiddenFromReaders } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

/**
 * A figure's image with an empty alternative text, as a record gives it that has none. A figure is
 * content: its image is no decoration, and a caption beside it names no image that is hidden.
 */
export const imgAltEmptyFigure: Check = {
  id: "img.alt-empty-figure",
  category: "images",
  severity: "warning",
  *run(page) {
    for (const image of page.all("img")) {
      if (attribute(image, "alt")?.trim() !== "" || isHiddenFromReaders(image)) continue;
      if (accessibleName(page, image) !== "") continue;
      if (!closest(image, ({ name }) => name === "figure")) continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        evidence: { src, selector: locate(image) },
        // The text is part of a record, which its owner edits.
        safe: false,
        message: `The image ${src.split("/").at(-1) ?? ""} of a figure has an empty alternative text.`,
      };
    }
  },
};
