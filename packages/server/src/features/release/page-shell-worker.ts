import type { DefaultTreeAdapterTypes } from "parse5";
import { isThemeScript } from "../../kit/theme-script.ts";
import { HtmlTooComplex, parseBounded } from "vitrine-qa/src/system/bounded-html.ts";

type Element = DefaultTreeAdapterTypes.Element;

/** The replacement for the characters from `start` to `end`. */
export interface ShellSlot {
  start: number;
  end: number;
  part: "title" | "content" | "nothing";
}

/** Where other content goes in a page. */
export interface ShellSlots {
  /** The page's own title, as text. */
  title: string;
  /** In order, without overlaps. */
  slots: ShellSlot[];
}

/** All elements in document order, without recursion, because pages can nest very deeply. */
function elementsOf(document: DefaultTreeAdapterTypes.Document): Element[] {
  const elements: Element[] = [];
  const stack: DefaultTreeAdapterTypes.Node[] = [document];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if ("tagName" in node) elements.push(node);
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return elements;
}

/** The range inside an element; null if it isn't closed. */
function inside(element: Element | undefined, part: ShellSlot["part"]): ShellSlot | null {
  const { startTag, endTag } = element?.sourceCodeLocation ?? {};
  return startTag && endTag ? { start: startTag.endOffset, end: endTag.startOffset, part } : null;
}

function whole({ sourceCodeLocation: at }: Element): ShellSlot[] {
  return at ? [{ start: at.startOffset, end: at.endOffset, part: "nothing" }] : [];
}

function textOf(element: Element | undefined): string {
  const texts = element?.childNodes.map((node) => ("value" in node ? node.value : "")) ?? [];
  return texts.join("");
}

function placesIn(html: string, mark: string): ShellSlots | null {
  const elements = elementsOf(parseBounded(html, { sourceCodeLocationInfo: true }));
  const place = elements.find(({ attrs }) => attrs.some(({ name }) => name === mark));
  const content = inside(place, "content");
  if (content === null) return null;
  const titleElement = elements.find(({ tagName }) => tagName === "title");
  const scripts = elements
    .filter((element) => element.tagName === "script" && !isThemeScript(textOf(element)))
    .flatMap(whole);
  const title = inside(titleElement, "title");
  const cuts = [content, ...(title ? [title] : []), ...scripts]
    .filter((cut) => cut === content || cut.end <= content.start || cut.start >= content.end)
    .toSorted((a, b) => a.start - b.start);
  return { title: textOf(titleElement).trim(), slots: cuts };
}

/**
 * Finds where other content goes in a page: inside the first element with the attribute
 * `placeholder`. Removes scripts, because none may run next to a password field except the known
 * theme switch. Null if there is no such place, or the page is too complex. Runs in a worker.
 */
export function findShellSlots({ html, mark }: { html: string; mark: string }) {
  try {
    return placesIn(html, mark);
  } catch (error) {
    if (error instanceof HtmlTooComplex) return null;
    throw error;
  }
}
