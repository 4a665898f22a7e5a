import type { Check } from "../../check.ts";
import { isBroken, referencesOf, srcsetReferences } from "../addresses.ts";

/** A picture whose address leads to something else: a page, a text. */
export const imgNotImage: Check = {
  id: "img.not-image",
  category: "images",
  severity: "error",
  *look(page, site) {
    const pictures = [
      ...referencesOf(page, site, page.all("img"), "src"),
      ...srcsetReferences(page, site),
    ];
    for (const { element, raw, target } of pictures) {
      if (target.kind !== "inside" || raw.trim() === "" || isBroken(site, target)) continue;
      const place = site.at(target.path);
      if (place?.kind !== "file" || place.file.type.startsWith("image/")) continue;
      yield { target: target.path, at: element, message: `${target.path} is no picture.` };
    }
  },
};
