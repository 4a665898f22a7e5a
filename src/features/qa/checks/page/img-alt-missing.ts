import type { Check } from "../../check.ts";
import { attribute, closest, isHiddenFromReaders, isPresentational } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

/** A picture without words for those who don't see it; `alt=""` says that it needs none. */
export const imgAltMissing: Check = {
  id: "img.alt-missing",
  category: "images",
  severity: "error",
  *look(page) {
    for (const image of page.all("img")) {
      if (attribute(image, "alt") !== undefined || isHiddenFromReaders(image)) continue;
      if (isPresentational(image) || accessibleName(page, image) !== "") continue;
      // A link or button that is named otherwise says it all.
      const around = closest(image, ({ name }) => name === "a" || name === "button");
      if (around && (attribute(around, "aria-label") ?? "").trim() !== "") continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        message: `The picture ${src.split("/").at(-1) ?? ""} has no alternative text.`,
      };
    }
  },
};
