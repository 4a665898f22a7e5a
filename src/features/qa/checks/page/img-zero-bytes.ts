import type { Check } from "../../check.ts";
import { referencesOf, srcsetReferences } from "../addresses.ts";

/** A picture's file that is empty. */
export const imgZeroBytes: Check = {
  id: "img.zero-bytes",
  category: "images",
  severity: "error",
  *look(page, site) {
    const pictures = [
      ...referencesOf(page, site, page.all("img"), "src"),
      ...srcsetReferences(page, site),
    ];
    for (const { element, target } of pictures) {
      const place = target.kind === "inside" ? site.at(target.path) : undefined;
      if (place?.kind !== "file" || place.file.bytes > 0) continue;
      yield { target: place.path, at: element, message: `The file ${place.path} is empty.` };
    }
  },
};
