import { type Check, locate } from "../../check.ts";
import {
  ancestorsOf,
  attribute,
  closest,
  type Element,
  isHiddenFromReaders,
  isPresentational,
  textOf,
} from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import type { Page } from "../../page/page.ts";
import { readAddress } from "../../site/address.ts";
import { fileAt } from "../addresses.ts";

/** Text around an image that may describe it. */
function contextOf(image: Element): string {
  for (const around of ancestorsOf(image)) {
    if (around.name === "body" || around.name === "main") break;
    const text = textOf(around);
    if (text !== "") return text.slice(0, 200);
  }
  return "";
}

/** The W3C's ACT rules that fail: with its image, a link or button lacks a name as well. */
function actOf(page: Page, around: Element | undefined): string[] {
  if (!around || accessibleName(page, around) !== "") return ["23a2a8"];
  return ["23a2a8", around.name === "a" ? "c487ae" : "97a4e1"];
}

/** Reports an image without alt text; `alt=""` declares that it needs none. */
export const imgAltMissing: Check = {
  id: "img.alt-missing",
  category: "images",
  severity: "error",
  *run(page, site) {
    const hashOf = (src: string): string | null =>
      fileAt(site, readAddress(src, page.base, site.origin))?.file.hash || null;
    for (const image of page.all("img")) {
      if (attribute(image, "alt") !== undefined || isHiddenFromReaders(image)) continue;
      if (isPresentational(image) || accessibleName(page, image) !== "") continue;
      // A link or button with another name needs no more.
      const around = closest(image, ({ name }) => name === "a" || name === "button");
      if (around && (attribute(around, "aria-label") ?? "").trim() !== "") continue;
      const src = attribute(image, "src") ?? "";
      yield {
        target: src || null,
        at: image,
        evidence: {
          src,
          selector: locate(image),
          context: contextOf(image),
          hash: hashOf(src),
          act: actOf(page, around),
        },
        safe: src !== "",
        message: `The image ${src.split("/").at(-1) ?? ""} has no alt text.`,
      };
    }
  },
};
