import { type Check, quote } from "../check.ts";
import { attribute, type Element, isHiddenFromReaders, textOf } from "../page/dom.ts";

/** Whether a tag is well formed (BCP 47) and its language is one that has a name. */
function isLanguage(tag: string): boolean {
  try {
    const { language } = new Intl.Locale(tag.trim());
    return (
      new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(language) !== undefined
    );
  } catch {
    return false;
  }
}

function lang(element: Element): string | undefined {
  return attribute(element, "lang");
}

/** A page, or a part of one, that doesn't say its language or names none that exists. */
export const metaLang: Check = {
  id: "meta.lang",
  category: "meta",
  severity: "error",
  *look(page) {
    const root = page.first("html");
    const own = (root && lang(root)?.trim()) ?? "";
    if (own === "") yield { message: "The page does not say its language." };
    for (const element of page.elements) {
      const tag = lang(element);
      if (tag === undefined || (element === root && own === "") || isLanguage(tag)) continue;
      if (
        element !== root &&
        (tag === "" || textOf(element) === "" || isHiddenFromReaders(element))
      )
        continue;
      yield { target: tag, at: element, message: `${quote(tag)} is no language.` };
    }
  },
};
