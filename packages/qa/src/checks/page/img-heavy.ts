import type { Check } from "../../check.ts";
import { fileAt, imageReferencesOf } from "../addresses.ts";

/** In bytes: two seconds on a slow phone. */
const budget = 500 * 1024;

/** Reports an image that takes long to load. */
export const imgHeavy: Check = {
  id: "img.heavy",
  category: "images",
  severity: "warning",
  *run(page, site) {
    for (const { element, target } of imageReferencesOf(page, site)) {
      const place = fileAt(site, target);
      if (!place || !place.file.type.startsWith("image/") || place.file.bytes <= budget) continue;
      const { bytes, type, encodings } = place.file;
      const wire = encodings.br?.bytes ?? encodings.gzip?.bytes ?? bytes;
      if (wire <= budget) continue;
      yield {
        target: place.path,
        at: element,
        evidence: { bytes: wire, format: type.replace(/^image\/|;.*$/g, ""), budget },
        message: `The image ${place.path} is ${Math.round(wire / 1024)} kB. Aim for ${budget / 1024} kB or less.`,
      };
    }
  },
};
