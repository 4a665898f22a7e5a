import type { Check } from "../../check.ts";
import type { Target } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { fileAt, imageReferencesOf } from "../addresses.ts";

/** The types of a file: by its bytes if they are known, otherwise by its content type. */
function typesOf(site: Site, target: Target, contentType: string) {
  const response =
    target.kind === "inside" ? site.response?.(target.path, target.search) : undefined;
  const sniffed = response?.sniffed ?? null;
  return { sniffed, magic: (response?.head ?? "").slice(0, 16), type: contentType };
}

/**
 * Browsers detect images by their bytes, whatever the header says; only SVG depends on the header.
 */
function isImage(sniffed: string | null, contentType: string): boolean {
  if (contentType.startsWith("image/svg")) return sniffed === null || !/html/.test(sniffed);
  return (
    (sniffed ?? contentType).startsWith("image/") ||
    (sniffed !== null && sniffed.endsWith("xml") && contentType.startsWith("image/"))
  );
}

/** Reports an image whose address returns something else, such as a page or text. */
export const imgNotImage: Check = {
  id: "img.not-image",
  category: "images",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of imageReferencesOf(page, site)) {
      const place = raw.trim() === "" ? undefined : fileAt(site, target);
      if (!place || target.kind !== "inside" || place.file.bytes === 0) continue;
      const { sniffed, magic, type } = typesOf(site, target, place.file.type);
      if (isImage(sniffed, type)) continue;
      yield {
        target: target.path,
        at: element,
        evidence: { src: raw, type, sniffed, magic },
        message: `${target.path} isn’t an image.`,
      };
    }
  },
};
