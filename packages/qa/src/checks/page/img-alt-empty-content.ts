import { type Check, locate } from "../../check.ts";
import { attribute, closest, type Element, isHiddenFromReaders, textOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

/** Whether an image is content by its position: in a figure, or as a paragraph of its own. */
function isContent(image: Element): boolean {
  if (closest(image, ({ name }) => name === "figure")) return true;
  const paragraph = closest(image, ({ name }) => name === "p");
  return paragraph !== undefined && textOf(paragraph) === "";
}

/** Whether the page marks an image as decorative. */
function isDecorative(image: Element): boolean {
  return /^(?:presentation|none)$/i.test(attribute(image, "role")?.trim() ?? "");
}

/**
 * Reports a content image with empty alt text, such as one from a record without any. It
 * isn't decorative, and a caption next to it doesn't name an image that is hidden.
 */
export const imgAltEmptyContent: Check = {
  id: "img.alt-empty-content",
  category: "images",
  severity: "warning",
  *run(page) {
    for (const image of page.all("img")) {
      if (attribute(image, "alt")?.trim() !== "" || isHiddenFromReaders(image)) continue;
      if (accessibleName(page, image) !== "") continue;
      if (!isContent(image) || isDecorative(image)) continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        evidence: { src, selector: locate(image) },
        safe: src !== "",
        message: `The image ${src.split("/").at(-1) ?? ""} looks like content but has empty alt text.`,
      };
    }
  },
};
