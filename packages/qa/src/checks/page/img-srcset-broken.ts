import type { Check } from "../../check.ts";
import { findResponse, isBroken, srcsetReferences } from "../addresses.ts";

/** Reports a srcset candidate that doesn't exist: some visitors see nothing. */
export const imgSrcsetBroken: Check = {
  id: "img.srcset-broken",
  category: "images",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, descriptor, target } of srcsetReferences(page, site)) {
      if (target.kind !== "inside" || !isBroken(site, target)) continue;
      yield {
        target: target.path,
        at: element,
        evidence: { candidate: raw, descriptor: descriptor ?? "", ...findResponse(site, target) },
        message: `${target.path}, one of an image’s sizes, doesn’t exist.`,
      };
    }
  },
};
