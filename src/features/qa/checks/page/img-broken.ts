import { type Check, locate } from "../../check.ts";
import { answered, isBroken, referencesOf } from "../addresses.ts";

/** A picture that isn't there. */
export const imgBroken: Check = {
  id: "img.broken",
  category: "images",
  severity: "error",
  *look(page, site) {
    const inputs = page.all("input");
    for (const { element, raw, target } of referencesOf(
      page,
      site,
      [...page.all("img"), ...inputs],
      "src",
    )) {
      if (raw.trim() === "") {
        yield {
          at: element,
          evidence: { src: raw, selector: locate(element) },
          message: "A picture has an empty address.",
        };
      } else if (target.kind === "malformed") {
        yield {
          target: raw,
          at: element,
          evidence: { src: raw, selector: locate(element) },
          message: `The picture’s address can’t work: ${target.why}.`,
        };
      } else if (target.kind === "inside" && isBroken(site, target)) {
        yield {
          target: target.path,
          at: element,
          evidence: { src: raw, selector: locate(element), ...answered(site, target) },
          message: `The picture ${target.path} is not there.`,
        };
      }
    }
  },
};
