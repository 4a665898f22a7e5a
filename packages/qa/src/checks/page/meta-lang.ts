import { type Check, quote } from "../../check.ts";
import {
  attribute,
  closest,
  type Element,
  isElement,
  isHidden,
  isText,
  nodesBelow,
} from "../../page/dom.ts";
import { isLanguageTag } from "../../page/languages.ts";

/** Whether there is text whose language this element is the nearest one to declare. */
function hasOwnWords(element: Element): boolean {
  for (const node of nodesBelow(element)) {
    const holder = isText(node) && node.data.trim() !== "" ? node.parent : null;
    if (!isElement(holder) || isHidden(holder)) continue;
    if (closest(holder, (at) => attribute(at, "lang") !== undefined) === element) return true;
  }
  return false;
}

/** Reports a page, or a part of one, without a language or with an unknown one. */
export const metaLang: Check = {
  id: "meta.lang",
  category: "meta",
  severity: "error",
  *run(page) {
    const root = page.first("html");
    const own = (root && attribute(root, "lang")?.trim()) ?? "";
    if (own === "")
      yield {
        shared: true,
        evidence: { lang: "", act: ["b5c3f8"] },
        message: "The page doesn’t state its language.",
      };
    for (const element of page.having("lang")) {
      const tag = attribute(element, "lang");
      if (tag === undefined || (element === root && own === "") || isLanguageTag(tag)) continue;
      if (element !== root && (tag === "" || !hasOwnWords(element))) continue;
      yield {
        target: tag,
        at: element,
        evidence: { lang: tag, act: [element === root ? "bf051a" : "de46e4"] },
        message: `${quote(tag)} isn’t a language.`,
      };
    }
  },
};
