import type { DefaultTreeAdapterTypes as Tree } from "parse5";
import { parseBounded } from "vitrine-qa/src/system/bounded-html.ts";
import { inlineScriptSource } from "./inline-scripts.ts";
import type { AddressMap } from "./preview-address.ts";
import { rewriteCss } from "./rewrite-css.ts";
import { rewriteScript } from "./rewrite-script.ts";
import { applyEdits, type TextEdit } from "./text-edits.ts";

/** Attributes with one address. */
const addressAttributes = new Set([
  "href",
  "xlink:href",
  "src",
  "poster",
  "action",
  "formaction",
  "background",
  "manifest",
  "component-url",
  "renderer-url",
  "before-hydration-url",
]);
/** Elements whose addresses lead to documents, which tickets don't open. */
const documentElements = new Set(["a", "area", "form", "button", "input", "iframe", "frame"]);
/** Attributes with several addresses and descriptors. */
const setAttributes = new Set(["srcset", "imagesrcset"]);
/** Links that tell others where the page is; they load nothing. */
const identityLinks = /^(?:canonical|alternate|author|license|me)$/i;

function escapeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

/**
 * Splits a srcset (HTML standard, 4.8.4.2.1): an address may contain commas but not end with one.
 */
function mapSrcset(value: string, map: (address: string) => string): string {
  return value.replace(
    /(^|,)(\s*)([^\s,]\S*[^\s,]|[^\s,])(\s+[^,]*)?/g,
    (_, comma: string, space: string, address: string, descriptor = "") =>
      comma + space + map(address) + descriptor,
  );
}

/** `5; url=/about/` of a meta refresh. */
function mapRefresh(value: string, map: (address: string) => string): string {
  return value.replace(
    /^(\s*[\d.]+\s*[;,]?\s*(?:url\s*=\s*)?)(["']?)([^"']+)\2/i,
    (_, before: string, quote: string, address: string) => before + quote + map(address) + quote,
  );
}

function attribute(element: Tree.Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

interface Page {
  map: AddressMap;
  /** Whether the artifact contains something at this path. */
  has: (path: string) => boolean;
  edits: TextEdit[];
  scripts: string[];
}

/** Whether an attribute leads to a document; the image of a button doesn't. */
function isDocument({ tagName }: Tree.Element, name: string): boolean {
  return documentElements.has(tagName) && !(tagName === "input" && name === "src");
}

/** The new value of an attribute: null to remove it, undefined to leave it unchanged. */
function mapAttribute(
  page: Page,
  element: Tree.Element,
  name: string,
  value: string,
): string | null | undefined {
  const { inPage: map, ofDocument } = page.map;
  if (name === "style") return rewriteCss(value, map);
  // The bytes of style sheets and scripts differ from the release's, so their hashes don't match
  // here.
  if (name === "integrity") return null;
  if (element.tagName === "meta") return mapMeta(element, name, value, ofDocument);
  if (element.tagName === "object" && name === "data") return ofDocument(value);
  if (setAttributes.has(name)) return mapSrcset(value, map);
  if (addressAttributes.has(name)) {
    const rel = element.tagName === "link" ? (attribute(element, "rel") ?? "") : "";
    if (identityLinks.test(rel)) return undefined;
    return isDocument(element, name) ? ofDocument(value) : map(value);
  }
  // A script may read an address from here, so only certain ones are changed.
  if (!name.startsWith("data-") || !value.startsWith("/") || !page.has(value)) return undefined;
  return value.endsWith("/") ? ofDocument(value) : map(value);
}

function mapMeta(
  element: Tree.Element,
  name: string,
  value: string,
  map: (address: string) => string,
): string | null | undefined {
  const meaning = attribute(element, "http-equiv")?.toLowerCase();
  if (name === "content" && meaning === "refresh") return mapRefresh(value, map);
  // A policy for the public address would block the page's own files here.
  if (name === "http-equiv" && meaning === "content-security-policy") return null;
  return undefined;
}

function rewriteAttributes(page: Page, element: Tree.Element): void {
  for (const attr of element.attrs) {
    const name = attr.prefix ? `${attr.prefix}:${attr.name}` : attr.name;
    const place = element.sourceCodeLocation?.attrs?.[name];
    const mapped = place && mapAttribute(page, element, name, attr.value);
    if (!place || mapped === undefined || mapped === attr.value) continue;
    const text = mapped === null ? "" : `${name}="${escapeAttribute(mapped)}"`;
    page.edits.push({ start: place.startOffset, end: place.endOffset, text });
  }
}

function rewriteText(page: Page, element: Tree.Element): void {
  const rewrite = { style: rewriteCss, script: rewriteScript }[element.tagName];
  const [text] = element.childNodes;
  if (!rewrite || text?.nodeName !== "#text" || !text.sourceCodeLocation) return;
  const { value } = text as Tree.TextNode;
  const { startOffset: start, endOffset: end } = text.sourceCodeLocation;
  const rewritten = rewrite(value, page.map.inPage);
  page.edits.push({ start, end, text: rewritten });
  if (element.tagName !== "script" || attribute(element, "src") !== undefined) return;
  const source = inlineScriptSource(attribute(element, "type") ?? "", rewritten);
  if (source !== null) page.scripts.push(source);
}

/** Without recursion, because pages can nest very deeply. */
function walk(page: Page, root: Tree.Node): void {
  const stack: Tree.Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if ("attrs" in node) {
      rewriteAttributes(page, node);
      rewriteText(page, node);
    }
    if ("content" in node) stack.push(node.content);
    if ("childNodes" in node) for (const child of node.childNodes) stack.push(child);
  }
}

/**
 * Inserts a script at the beginning of the page's head, or at its end if the source has no head.
 */
function addScript(page: Page, document: Tree.Document, source: string, script: string): void {
  const html = document.childNodes.find((node) => node.nodeName === "html") as Tree.Element;
  const head = html.childNodes[0] as Tree.Element | undefined;
  const at = head?.sourceCodeLocation?.startTag?.endOffset ?? source.length;
  page.edits.push({ start: at, end: at, text: script });
}

/**
 * Rewrites the addresses of a page in place, so that everything else stays unchanged: attributes,
 * srcset, meta refresh, style attributes and elements, imports of inline scripts. `has` tells
 * whether the site contains a path; `script` is an element to add; the CSP sources of the resulting
 * inline scripts are added to `scripts`. Throws HtmlTooComplex.
 */
export function rewriteHtml(
  source: string,
  map: AddressMap,
  options: { has?: (path: string) => boolean; script?: string; scripts?: string[] } = {},
): string {
  const { has = () => false, script = "", scripts = [] } = options;
  const page: Page = { map, has, edits: [], scripts };
  const document = parseBounded(source, { sourceCodeLocationInfo: true });
  if (script !== "") addScript(page, document, source, script);
  walk(page, document);
  return applyEdits(source, page.edits);
}
