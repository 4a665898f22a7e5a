import type { Check } from "../../check.ts";
import type { Evidence } from "../../finding.ts";
import { attribute } from "../../page/dom.ts";
import { imageReferencesOf, type Reference } from "../addresses.ts";
import type { Site, SiteResponse } from "../../site/site.ts";

/** The longest side that an image on a page needs, in pixels. */
const maxPixels = 1600;

function imageAt(site: Site, { target }: Reference): SiteResponse["image"] {
  if (target.kind !== "inside") return null;
  return site.response?.(target.path, target.search)?.image ?? null;
}

/** Reports an image with more pixels than any page shows. */
export const imgOver1600px: Check = {
  id: "img.over-1600px",
  category: "images",
  severity: "warning",
  *run(page, site) {
    for (const reference of imageReferencesOf(page, site)) {
      const image = imageAt(site, reference);
      if (!image || image.format === "svg" || Math.max(image.width, image.height) <= maxPixels)
        continue;
      const evidence: Evidence = { w: image.width, h: image.height };
      yield {
        target: reference.target.kind === "inside" ? reference.target.path : reference.raw,
        at: reference.element,
        evidence,
        // Among several files, a large one may be for large or dense screens only.
        ...(attribute(reference.element, "src") !== reference.raw && {
          confidence: "review" as const,
        }),
        message: `The image ${reference.raw} is ${image.width} × ${image.height} pixels. ${maxPixels} pixels on the longer side are enough.`,
      };
    }
  },
};

/** Reports an image that reveals where it was taken. */
export const imgExifGps: Check = {
  id: "img.exif-gps",
  category: "images",
  severity: "warning",
  *run(page, site) {
    for (const reference of imageReferencesOf(page, site)) {
      const tags = imageAt(site, reference)?.locationTags ?? [];
      if (tags.length === 0) continue;
      yield {
        target: reference.target.kind === "inside" ? reference.target.path : reference.raw,
        at: reference.element,
        evidence: { tags },
        message: `The image ${reference.raw} contains the location where it was taken.`,
      };
    }
  },
};
