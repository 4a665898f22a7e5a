import type { PickedElement } from "../../api/types.ts";
import { isVisible } from "./visible-elements.ts";

const maxText = 300;
const ignoredElements =
  /^(?:html|head|script|style|template|noscript|link|meta|title|base|br|wbr)$/;
const svg = "http://www.w3.org/2000/svg";

/** What of the page an element stands for: the parts of a drawing stand for the whole. */
function whole(element: Element): Element {
  let found = element;
  while (found.namespaceURI === svg && found.parentElement?.namespaceURI === svg) {
    found = found.parentElement;
  }
  return found;
}

/** Whether an element can be pointed at. */
export function isPickable(element: Element): boolean {
  return (
    !ignoredElements.test(element.localName) && whole(element) === element && isVisible(element)
  );
}

/** The element of the page at a point of the window; `own` is the host of what the console draws. */
export function elementAt(page: Document, x: number, y: number, own: Element): Element | null {
  for (const element of page.elementsFromPoint(x, y)) {
    if (element === own || own.contains(element)) continue;
    const found = whole(element);
    if (!ignoredElements.test(found.localName)) return found;
  }
  return null;
}

/** What an element says, on one line. */
export function textOf(element: Element): string {
  const written = element.getAttribute("alt") ?? element.getAttribute("aria-label");
  const shown = element instanceof HTMLElement ? element.innerText : element.textContent;
  const text = shown.trim() === "" ? (written ?? "") : shown;
  // eslint-disable-next-line no-control-regex
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
  return line.slice(0, maxText).replace(/[\ud800-\udbff]$/, "");
}

/** An element as it goes along with an instruction; null where nobody knows which source it is from. */
export function pickedElement(element: Element, page: string): PickedElement | null {
  const source = element.closest("[data-source]")?.getAttribute("data-source") ?? "";
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(source) ?? [];
  const tag = element.localName;
  if (file === undefined || !/^[a-z][a-z0-9-]{0,39}$/.test(tag)) return null;
  return { file, line: Number(line), column: Number(column), tag, text: textOf(element), page };
}

/** `h1 Selected work`: what the outline of an element is labelled with. */
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

/** Where an arrow leads from an element: up to what holds it, down into it, or beside it. */
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

/** Where the keys begin: the first heading that shows, else the content, or else the page. */
export function startOf(page: Document): Element {
  const { clientHeight } = page.documentElement;
  const shown = (element: Element): boolean => {
    const { top, bottom } = element.getBoundingClientRect();
    return isPickable(element) && bottom > 0 && top < clientHeight;
  };
  const first = (names: string) => [...page.querySelectorAll(names)].find(shown);
  return first("h1, h2, h3") ?? first("main, article") ?? page.body;
}
