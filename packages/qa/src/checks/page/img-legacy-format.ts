import type { Check } from "../../check.ts";
import { attribute, type Element, parentOf } from "../../page/dom.ts";
import { fileAt, referencesOf } from "../addresses.ts";

/**
 * Formats that AVIF or WebP make much smaller, and the size in bytes from which that is worth it.
 */
const legacy: Readonly<Record<string, number>> = {
  "image/bmp": 0,
  "image/x-ms-bmp": 0,
  "image/tiff": 0,
  "image/png": 150 * 1024,
  "image/gif": 150 * 1024,
  "image/jpeg": 250 * 1024,
};

/** Whether browsers are also offered the image in a better format. */
function hasBetter(image: Element): boolean {
  if (/\.(?:avif|webp)\b/i.test(attribute(image, "srcset") ?? "")) return true;
  const around = parentOf(image);
  if (around?.name !== "picture") return false;
  return around.children.some(
    (child) => "attribs" in child && /avif|webp/.test(attribute(child as Element, "type") ?? ""),
  );
}

/** Reports a large image in an outdated format. */
export const imgLegacyFormat: Check = {
  id: "img.legacy-format",
  category: "images",
  severity: "notice",
  *run(page, site) {
    for (const { element, target } of referencesOf(page, site, page.all("img"), "src")) {
      const place = fileAt(site, target);
      const type = place?.file.type.replace(/;.*$/, "") ?? "";
      const from = legacy[type];
      if (!place || from === undefined || place.file.bytes <= from || hasBetter(element)) continue;
      const format = type.replace(/^image\/(?:x-ms-)?/, "");
      yield {
        target: place.path,
        at: element,
        evidence: { format, bytes: place.file.bytes },
        message: `The image ${place.path} is ${Math.round(place.file.bytes / 1024)} kB as ${format.toUpperCase()}. It would be much smaller as AVIF or WebP.`,
      };
    }
  },
};
