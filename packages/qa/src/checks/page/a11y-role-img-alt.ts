import type { Check } from "../../check.ts";
import { isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { accessibleName, nameByAttributes } from "../../page/name.ts";

const drawn = /^(?:img|image|graphics-(?:document|symbol))$/;

/** Reports an element with the role of an image and no alt text. */
export const a11yRoleImgAlt: Check = {
  id: "a11y.axe.role-img-alt",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const element of page.elements) {
      if (!drawn.test(roleOf(element))) continue;
      if (element.name === "img" || isHiddenFromReaders(element)) continue;
      const inside = element.name === "svg" ? accessibleName(page, element) : "";
      if (inside !== "" || nameByAttributes(page, element) !== "") continue;
      yield {
        at: element,
        evidence: { rule: "role-img-alt" },
        message: "A graphic has no alt text.",
      };
    }
  },
};
