import type { Check } from "../../check.ts";
import { attribute, type Element, isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

function isButton(element: Element): boolean {
  const role = roleOf(element);
  if (role !== "") return role === "button";
  if (element.name === "button" || element.name === "summary") return true;
  return (
    element.name === "input" &&
    /^(?:button|submit|reset|image)$/i.test(attribute(element, "type") ?? "")
  );
}

/** Reports a button without a name. */
export const a11yButtonName: Check = {
  id: "a11y.axe.button-name",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const element of page.elements) {
      if (!isButton(element) || isHiddenFromReaders(element)) continue;
      if (accessibleName(page, element) !== "") continue;
      yield { at: element, evidence: { rule: "button-name" }, message: "A button has no name." };
    }
  },
};
