import { attribute, closest, type Element, isElement, isText, isInvisibleElement } from "./dom.ts";
import type { Page } from "./page.ts";

/** Whether the markup excludes an element from names; elements hidden by CSS are unknown here. */
function isLeftOut(element: Element): boolean {
  if (isInvisibleElement(element)) return true;
  return attribute(element, "hidden") !== undefined || attribute(element, "aria-hidden") === "true";
}

const filled = (text: string | undefined): string => (text ?? "").trim();

/** The text of an element, including alt texts of images and labels of what is inside. */
function contentName(page: Page, element: Element, depth: number): string {
  let name = "";
  for (const child of element.children) {
    if (isText(child)) name += child.data;
    else if (isElement(child) && !isLeftOut(child))
      name += ` ${nameBelow(page, child, depth + 1)} `;
    if (name.length > 2000) break;
  }
  return name.replace(/\s+/g, " ").trim();
}

function nameBelow(page: Page, element: Element, depth: number): string {
  if (depth > 60) return "";
  const label = filled(attribute(element, "aria-label"));
  if (label) return label;
  switch (element.name) {
    case "img":
    case "area":
      return filled(attribute(element, "alt")) || filled(attribute(element, "title"));
    case "input":
      return /^(?:button|submit|reset)$/i.test(attribute(element, "type") ?? "")
        ? filled(attribute(element, "value"))
        : "";
    case "svg":
      return svgName(page, element, depth);
    case "object":
    case "iframe":
      return filled(attribute(element, "title")) || contentName(page, element, depth);
    default:
      return contentName(page, element, depth) || filled(attribute(element, "title"));
  }
}

function svgName(page: Page, element: Element, depth: number): string {
  const title = element.children.find((child) => isElement(child) && child.name === "title");
  return isElement(title) ? contentName(page, title, depth) : "";
}

/** The text of the elements that `aria-labelledby` names. */
function referredName(page: Page, element: Element): string {
  const ids = filled(attribute(element, "aria-labelledby")).split(/\s+/).slice(0, 20);
  const named = ids.flatMap((id) => page.ids.get(id)?.[0] ?? []);
  return filled(named.map((other) => nameBelow(page, other, 1)).join(" "));
}

const tiedLabels = new WeakMap<Page, Map<string, Element[]>>();

/** The labels of a page by the ids that they are for. */
function labelsById(page: Page): Map<string, Element[]> {
  const known = tiedLabels.get(page);
  if (known) return known;
  const found = Map.groupBy(page.all("label"), (label) => attribute(label, "for") ?? "");
  tiedLabels.set(page, found);
  return found;
}

/** The labels of a form control, by `for` and around it. */
function labelsOf(page: Page, control: Element): string {
  const id = attribute(control, "id");
  const around = closest(control, ({ name }) => name === "label");
  const tied = id ? (labelsById(page).get(id) ?? []) : [];
  const labels = new Set([...tied, ...(around ? [around] : [])]);
  return filled([...labels].map((label) => contentName(page, label, 1)).join(" "));
}

const labelable = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);

/** Whether an element has text of its own, and so has a name in any case. */
export function hasOwnText(element: Element): boolean {
  return element.children.some((child) => isText(child) && /\S/.test(child.data));
}

/** Several checks need the same names. */
const names = new WeakMap<Element, string>();

/**
 * The name of an element for assistive technology: the part of the accessible name computation
 * (accname 1.2) that doesn't depend on style sheets.
 */
export function accessibleName(page: Page, element: Element): string {
  const known = names.get(element);
  if (known !== undefined) return known;
  const name = computeName(page, element);
  names.set(element, name);
  return name;
}

function computeName(page: Page, element: Element): string {
  const referred = referredName(page, element);
  if (referred) return referred;
  const label = filled(attribute(element, "aria-label"));
  if (label) return label;
  if (labelable.has(element.name)) {
    const labels = labelsOf(page, element);
    if (labels) return labels;
    if (element.name !== "button") return controlName(element);
  }
  return nameBelow(page, element, 0);
}

/** The name of a control apart from its labels. */
function controlName(element: Element): string {
  const type = (attribute(element, "type") ?? "text").toLowerCase();
  const title = filled(attribute(element, "title"));
  if (element.name === "input") {
    if (type === "image") return filled(attribute(element, "alt")) || title;
    if (type === "submit") return filled(attribute(element, "value") ?? "Submit") || title;
    if (type === "reset") return filled(attribute(element, "value") ?? "Reset") || title;
    if (type === "button") return filled(attribute(element, "value")) || title;
  }
  return title || filled(attribute(element, "placeholder"));
}

/** The name that an element's attributes give it, whatever it contains. */
export function nameByAttributes(page: Page, element: Element): string {
  return (
    referredName(page, element) ||
    filled(attribute(element, "aria-label")) ||
    filled(attribute(element, "title"))
  );
}
