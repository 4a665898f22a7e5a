import type { Check } from "../../check.ts";
import { attribute, type Element, isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

const unnamed = /^(?:hidden|submit|reset|button|image)$/i;
const fieldRoles = new Set([
  "textbox",
  "searchbox",
  "combobox",
  "listbox",
  "checkbox",
  "radio",
  "switch",
  "slider",
  "spinbutton",
  "menuitemcheckbox",
  "menuitemradio",
]);

function isField(element: Element): boolean {
  const role = roleOf(element);
  if (role === "presentation" || role === "none") return false;
  if (fieldRoles.has(role)) return true;
  if (element.name === "input") return !unnamed.test(attribute(element, "type") ?? "text");
  return element.name === "select" || element.name === "textarea";
}

/** Reports a form field without a label. */
export const a11yLabel: Check = {
  id: "a11y.axe.label",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const element of page.elements) {
      if (!isField(element) || isHiddenFromReaders(element)) continue;
      if (accessibleName(page, element) !== "") continue;
      const name = attribute(element, "name");
      yield {
        target: name ?? null,
        at: element,
        evidence: { rule: "label", name: name ?? null },
        message: `The field${name ? ` “${name.slice(0, 60)}”` : ""} has no label.`,
      };
    }
  },
};
