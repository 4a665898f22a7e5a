import { type Check, quote } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

const fileName = /^[\w%.\-() ]+\.(?:jpe?g|png|gif|webp|avif|svg|heic|tiff?|bmp)$/i;
/** Names that cameras and phones give their files. `P51` is an aircraft. */
const cameraName = /^(?:(?:IMG|DSC[FN]?|PXL|Screenshot)[_-]?\d{3}|P[_-]?\d{6})[\w-]*$/i;

/** Reports alt text that is only a file name. */
export const imgAltFilename: Check = {
  id: "img.alt-filename",
  category: "images",
  severity: "warning",
  *run(page) {
    for (const image of page.all("img")) {
      const alt = (attribute(image, "alt") ?? "").trim();
      const src = attribute(image, "src") ?? "";
      const name = src.split(/[?#]/)[0]?.split("/").at(-1) ?? "";
      const bare = name.replace(/\.\w+$/, "");
      // A number may be what the image shows.
      const same =
        alt !== "" &&
        /[-_\d]/.test(bare) &&
        !/^\d{1,2}$/.test(bare) &&
        (alt === name || alt === bare);
      if (!same && !fileName.test(alt) && !cameraName.test(alt)) continue;
      yield {
        target: src,
        at: image,
        evidence: { alt, src },
        safe: true,
        message: `The alt text ${quote(alt)} is a file name, not a description of the image.`,
      };
    }
  },
};
