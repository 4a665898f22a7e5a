import type { Check } from "../../check.ts";
import { attribute, type Element, isElement, parentOf, roleOf } from "../../page/dom.ts";

const allowed = new Set(["li", "script", "template"]);

function strayChild(list: Element): Element | undefined {
  return list.children.find((child): child is Element => {
    return isElement(child) && !allowed.has(child.name) && roleOf(child) !== "listitem";
  });
}

/** Reports a list that contains something other than items. */
export const a11yList: Check = {
  id: "a11y.axe.list",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const list of page.all("ul", "ol")) {
      const role = roleOf(list);
      const stray = role === "" || role === "list" ? strayChild(list) : undefined;
      if (stray) {
        yield {
          at: list,
          evidence: { rule: "list", child: stray.name },
          message: `A list contains a <${stray.name}> that isn’t a list item.`,
        };
      }
    }
  },
};

/** Reports a list item outside of a list. */
export const a11yListItem: Check = {
  id: "a11y.axe.listitem",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const item of page.all("li")) {
      const parent = parentOf(item);
      if (attribute(item, "role") !== undefined || !parent) continue;
      if (
        /^(?:ul|ol|menu)$/.test(parent.name) &&
        /^(?:|list|menu|none|presentation)$/.test(roleOf(parent))
      )
        continue;
      if (roleOf(parent) === "list" || roleOf(parent) !== "") continue;
      yield {
        at: item,
        evidence: { rule: "listitem", parent: parent.name },
        message: "A list item is outside a list.",
      };
    }
  },
};
