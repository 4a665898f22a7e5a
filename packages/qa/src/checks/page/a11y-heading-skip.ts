import { type Check, locate, quote } from "../../check.ts";
import { attribute, isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

/** Reports a heading that skips a level, such as an h4 after an h2. */
export const a11yHeadingSkip: Check = {
  id: "a11y.heading-skip",
  category: "accessibility",
  severity: "notice",
  byComponent: true,
  *run(page) {
    let before = 0;
    for (const element of page.elements) {
      const role = roleOf(element);
      const named = role === "" ? /^h([1-6])$/.exec(element.name)?.[1] : undefined;
      const said = role === "heading" ? (attribute(element, "aria-level") ?? named ?? "2") : named;
      const level = Number(said);
      if (!(level > 0) || isHiddenFromReaders(element)) continue;
      if (before > 0 && level > before + 1) {
        const name = quote(accessibleName(page, element));
        yield {
          at: element,
          evidence: { from: before, to: level, selector: locate(element) },
          message: `The heading ${name} is an h${level} after an h${before}.`,
        };
      }
      before = level;
    }
  },
};
