import type { PickedElement } from "../../api/types.ts";
import { isVisible } from "./visible-elements.ts";

const maxText = 300;
const ignoredElements =
  /^(?:html|head|script|style|template|noscript|link|meta|title|base|br|wbr)$/;
const svg = "http://www.w3.org/2000/svg";

/** The element to select: for parts of an SVG, the SVG. */
function whole(element: Element): Element {
  let found = element;
  while (found.namespaceURI === svg && found.parentElement?.namespaceURI === svg) {
    found = found.parentElement;
  }
  return found;
}

/** Whether an element can be selected. */
export function isPickable(element: Element): boolean {
  return (
    !ignoredElements.test(element.localName) && whole(element) === element && isVisible(element)
  );
}

/** The page's element at a point of the window; `own` is the console's host element. */
export function elementAt(page: Document, x: number, y: number, own: Element): Element | null {
  for (const element of page.elementsFromPoint(x, y)) {
    if (element === own || own.contains(element)) continue;
    const found = whole(element);
    if (!ignoredElements.test(found.localName)) return found;
  }
  return null;
}

/** An element's text on one line. */
export function textOf(element: Element): string {
  const written = element.getAttribute("alt") ?? element.getAttribute("aria-label");
  const shown = element instanceof HTMLElement ? element.innerText : element.textContent;
  const text = shown.trim() === "" ? (written ?? "") : shown;
  // eslint-disable-next-line no-control-regex
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
  return line.slice(0, maxText).replace(/[\ud800-\udbff]$/, "");
}

/** An element for an instruction; null if its source is unknown. */
export function pickedElement(element: Element, page: string): PickedElement | null {
  const source = element.closest("[data-source]")?.getAttribute("data-source") ?? "";
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(source) ?? [];
  const tag = element.localName;
  if (file === undefined || !/^[a-z][a-z0-9-]{0,39}$/.test(tag)) return null;
  return { file, line: Number(line), column: Number(column), tag, text: textOf(element), page };
}

/** The label of an element's outline: `h1 Selected work`. */
export function labelOf(element: Element): string {
  const text = textOf(element);
  return `${element.localName} ${text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text}`.trim();
}

function firstIn(elements: Iterable<Element>): Element | undefined {
  for (const element of elements) if (isPickable(element)) return element;
  return undefined;
}

function beside(element: Element, step: "nextElementSibling" | "previousElementSibling") {
  for (let at = element[step]; at !== null; at = at[step]) if (isPickable(at)) return at;
  return undefined;
}

/** The element that an arrow key moves to: the parent, the first child, or a sibling. */
export function walk(from: Element, key: string): Element | undefined {
  switch (key) {
    case "ArrowUp": {
      const up = from.parentElement;
      return up && isPickable(up) ? up : undefined;
    }
    case "ArrowDown":
      return firstIn(from.children);
    case "ArrowRight":
      return beside(from, "nextElementSibling");
    case "ArrowLeft":
      return beside(from, "previousElementSibling");
    default:
      return undefined;
  }
}

/**
 * Where keyboard selection starts: the first visible heading, otherwise the main content or the
 * page.
 */
export function startOf(page: Document): Element {
  const { clientHeight } = page.documentElement;
  const shown = (element: Element): boolean => {
    const { top, bottom } = element.getBoundingClientRect();
    return isPickable(element) && bottom > 0 && top < clientHeight;
  };
  const first = (names: string) => [...page.querySelectorAll(names)].find(shown);
  return first("h1, h2, h3") ?? first("main, article") ?? page.body;
}
