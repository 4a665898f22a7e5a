import { type Check, locate, type PageReport } from "../../check.ts";
import { attribute, type Element, isHidden } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import type { Site } from "../../site/site.ts";
import { findResponse, isBroken, referencesOf } from "../addresses.ts";
import { canBeFilled } from "../needs-script.ts";

/** Attributes in which lazy-loading scripts look for the address. */
const loadedLate = /^data-(?:[\w-]*-)?(?:src|srcset|original|lazy|image|bg)$/;

/** What is wrong with an image with an empty address; null if it gets one in another way. */
function emptyAt(element: Element, page: Page, site: Site): PageReport | null {
  const names = Object.keys(element.attribs);
  const other = (attribute(element, "srcset") ?? "").trim() !== "";
  if (other || isHidden(element) || names.some((name) => loadedLate.test(name))) return null;
  const isInput = element.name === "input";
  if (isInput && attribute(element, "type")?.toLowerCase() !== "image") return null;
  return {
    at: element,
    evidence: { src: "", selector: locate(element) },
    // The image of a lightbox is empty until someone opens it.
    ...(canBeFilled(page, site) && { severity: "notice", confidence: "review" }),
    message: "An image has an empty address.",
  };
}

/** Reports an image that doesn't exist. */
export const imgBroken: Check = {
  id: "img.broken",
  category: "images",
  severity: "error",
  *run(page, site) {
    for (const element of page.all("img")) {
      const found = attribute(element, "src") === undefined && emptyAt(element, page, site);
      if (found) yield { ...found, message: "An image has no address." };
    }
    const inputs = page.all("input");
    for (const { element, raw, target } of referencesOf(
      page,
      site,
      [...page.all("img"), ...inputs],
      "src",
    )) {
      if (raw.trim() === "") {
        const empty = emptyAt(element, page, site);
        if (empty) yield empty;
      } else if (target.kind === "malformed") {
        yield {
          target: raw,
          at: element,
          evidence: { src: raw, selector: locate(element) },
          message: `The image’s address is invalid: ${target.why}.`,
        };
      } else if (target.kind === "inside" && isBroken(site, target)) {
        yield {
          target: target.path,
          at: element,
          evidence: { src: raw, selector: locate(element), ...findResponse(site, target) },
          message: `The image ${target.path} doesn’t exist.`,
        };
      }
    }
  },
};
