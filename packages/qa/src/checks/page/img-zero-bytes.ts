import type { Check } from "../../check.ts";
import { fileAt, imageReferencesOf } from "../addresses.ts";

/** Reports an empty image file. */
export const imgZeroBytes: Check = {
  id: "img.zero-bytes",
  category: "images",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of imageReferencesOf(page, site)) {
      const place = raw.trim() === "" ? undefined : fileAt(site, target);
      if (!place || place.file.bytes > 0) continue;
      yield {
        target: place.path,
        at: element,
        evidence: { src: raw, length: 0 },
        message: `The file ${place.path} is empty.`,
      };
    }
  },
};
