import type { DefaultTreeAdapterTypes } from "parse5";
import { HtmlTooComplex, parseBounded } from "vitrine-qa/src/system/bounded-html.ts";
import { html as markup } from "../../../kit/html.ts";
import type { CopyForms } from "../schema.ts";

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

export interface AdaptInput {
  html: string;
  /** The page's content security policy. */
  policy: string;
  forms: CopyForms;
  /** This server's address, without a slash at its end. */
  origin: string;
}

/** A part of the text, from `start` to before `end`, and what replaces it. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Without recursion, because pages may nest very deeply. */
function elementsOf(root: Node): Element[] {
  const elements: Element[] = [];
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if ("tagName" in node) elements.push(node);
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return elements;
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

const isContactForm = (element: Element) =>
  element.tagName === "form" && attribute(element, "action") === "/api/contact";

const accountAddress = /^\/account(?:\/|$|[?#])/;

/** Replaces the value of an attribute. */
function withAttribute(element: Element, name: string, value: string): Edit[] {
  const place = element.sourceCodeLocation?.attrs?.[name];
  if (!place) return [];
  const text = markup`${name}="${value}"`.text;
  return [{ start: place.startOffset, end: place.endOffset, text }];
}

/** What stands in the place of a form that can't work. */
function noticeFor(hasEmail: boolean): string {
  const instead = hasEmail ? " Please write an email instead." : "";
  return `<p>You can’t send messages from this copy of the site.${instead}</p>`;
}

/** Where the policy goes: after the encoding, which must come first, but before any script. */
function policyPosition(elements: readonly Element[]): number {
  const charset = elements.find(
    (element) => element.tagName === "meta" && attribute(element, "charset") !== undefined,
  );
  const script = elements.find(({ tagName }) => tagName === "script");
  const after = charset?.sourceCodeLocation?.endOffset;
  const first = script?.sourceCodeLocation?.startOffset ?? Number.POSITIVE_INFINITY;
  if (after !== undefined && after <= first) return after;
  const named = (name: string) => elements.find(({ tagName }) => tagName === name);
  const opening = (name: string) => named(name)?.sourceCodeLocation?.startTag?.endOffset;
  return opening("head") ?? opening("html") ?? 0;
}

function editsOf({ html, policy, forms, origin }: AdaptInput): Edit[] {
  const elements = elementsOf(parseBounded(html, { sourceCodeLocationInfo: true }));
  const at = policyPosition(elements);
  const meta = markup`<meta http-equiv="Content-Security-Policy" content="${policy}">`.text;
  const edits: Edit[] = [{ start: at, end: at, text: meta }];
  const hasEmail = elements.some((one) => attribute(one, "href")?.startsWith("mailto:"));
  for (const element of elements) {
    const href = element.tagName === "a" ? (attribute(element, "href") ?? "") : "";
    if (forms === "origin" && accountAddress.test(href)) {
      edits.push(...withAttribute(element, "href", origin + href));
    }
    if (!isContactForm(element) || forms === "forwarded") continue;
    const place = element.sourceCodeLocation;
    if (forms === "origin")
      edits.push(...withAttribute(element, "action", `${origin}/api/contact`));
    else if (place) {
      edits.push({ start: place.startOffset, end: place.endOffset, text: noticeFor(hasEmail) });
    }
  }
  return edits.toSorted((a, b) => a.start - b.start);
}

/**
 * A page for a copy of the site: with its content security policy, and with a contact form and
 * account links that lead to this server, or without a form. Everything else stays byte for byte.
 * A page that is too complex to be read stays as it is. Runs in a worker.
 */
export function adaptPage(input: AdaptInput): string {
  let edits: Edit[];
  try {
    edits = editsOf(input);
  } catch (error) {
    if (error instanceof HtmlTooComplex) return input.html;
    throw error;
  }
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, text } of edits) {
    // What is inside a replaced form is gone with it.
    if (start < position) continue;
    parts.push(input.html.slice(position, start), text);
    position = end;
  }
  return [...parts, input.html.slice(position)].join("");
}
