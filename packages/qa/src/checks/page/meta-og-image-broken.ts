import type { Check } from "../../check.ts";
import { metaOf } from "../../page/page.ts";
import { readAddress } from "../../site/address.ts";
import { findResponse, isBroken } from "../addresses.ts";

/** Reports an image for link previews that doesn't exist. */
export const metaOgImageBroken: Check = {
  id: "meta.og-image-broken",
  category: "meta",
  severity: "error",
  *run(page, site) {
    for (const name of ["og:image", "twitter:image"]) {
      const raw = metaOf(page, name);
      const target = raw === undefined ? null : readAddress(raw, page.path, site.origin);
      if (target?.kind !== "inside" || !isBroken(site, target)) continue;
      yield {
        target: target.path,
        shared: true,
        evidence: { url: raw ?? "", name, ...findResponse(site, target) },
        message: `The link preview image ${target.path} doesn’t exist.`,
      };
    }
  },
};
