import {
  attribute,
  closest,
  type Element,
  elementsBelow,
  isHiddenFromReaders,
  isText,
} from "../page/dom.ts";
import type { Page } from "../page/page.ts";

const controls = new Set(["option", "optgroup", "select", "textarea", "input"]);

/**
 * The text directly in an element; empty if it has no letters, or only one, which may be an icon.
 */
function ownText(element: Element): string {
  let text = "";
  for (const child of element.children) if (isText(child)) text += child.data;
  const words = text.replace(/\s+/g, " ").trim();
  return [...words].length > 1 && /[\p{L}\p{N}]/u.test(words) ? words : "";
}

function isDisabled(element: Element): boolean {
  return (
    attribute(element, "aria-disabled") === "true" ||
    (attribute(element, "disabled") !== undefined &&
      /^(?:button|input|select|textarea|fieldset|option)$/.test(element.name))
  );
}

/** Text of a disabled control or its label may have low contrast (WCAG 1.4.3). */
function isExempt(page: Page, element: Element): boolean {
  if (closest(element, isDisabled)) return true;
  const label = closest(element, ({ name }) => name === "label");
  const id = label && attribute(label, "for");
  const inner =
    label && [...elementsBelow(label)].find(({ name }) => /^(?:input|select|textarea)$/.test(name));
  const control = id ? page.ids.get(id)?.[0] : inner;
  if (control && closest(control, isDisabled)) return true;
  const own = attribute(element, "id");
  return own !== undefined && disabledLabels(page).has(own);
}

const labelled = new WeakMap<Page, Set<string>>();

/** The ids of elements that label a disabled control. */
function disabledLabels(page: Page): Set<string> {
  const known = labelled.get(page);
  if (known) return known;
  const disabled = page.elements.filter(isDisabled);
  const found = new Set(
    disabled.flatMap((control) => (attribute(control, "aria-labelledby") ?? "").split(/\s+/)),
  );
  labelled.set(page, found);
  return found;
}

/** The elements whose own text is analyzed. */
export function textElements(page: Page): { element: Element; text: string }[] {
  const found: { element: Element; text: string }[] = [];
  for (const element of page.elements) {
    if (controls.has(element.name)) continue;
    const text = ownText(element);
    if (text === "" || isHiddenFromReaders(element)) continue;
    if (closest(element, ({ name }) => name === "svg" || name === "math" || name === "head"))
      continue;
    if (!isExempt(page, element)) found.push({ element, text });
  }
  return found;
}
