import { locate } from "../check.ts";
import { attribute, type Element, isElement, rawText } from "../page/dom.ts";
import type { Page } from "../page/page.ts";
import { readRefresh, refreshesIn } from "../page/refresh.ts";
import { candidatesOf } from "../page/srcset.ts";
import { type SheetAddress, styleAttributeAddresses } from "../style/addresses.ts";
import { readSheet } from "../style/sheet.ts";
import type { Resolver } from "./addresses.ts";
import type { Reference, ReferenceKind } from "./crawl.ts";
import { shortText } from "./facts.ts";

/** A reference with the address to request for it. */
export interface Found {
  reference: Reference;
  key: string;
  own: boolean;
}

type Add = (kind: ReferenceKind, raw: string | undefined, rel?: string, line?: number) => void;

const linkKinds: readonly [rel: RegExp, kind: ReferenceKind][] = [
  [/\bstylesheet\b/, "style"],
  [/\b(?:icon|apple-touch-icon|mask-icon|fluid-icon)\b/, "icon"],
  [/\bmanifest\b/, "manifest"],
  [/\b(?:preload|modulepreload)\b/, "preload"],
  [/\bcanonical\b/, "canonical"],
  [/\balternate\b/, "alternate"],
  [/\b(?:next|prev|author|license|help|search|sitemap|amphtml|me)\b/, "link"],
];

function addLink(element: Element, add: Add): void {
  const rel = (attribute(element, "rel") ?? "").toLowerCase();
  const kind = linkKinds.find(([pattern]) => pattern.test(rel))?.[1];
  if (kind) add(kind, attribute(element, "href"), rel);
  addCandidates(attribute(element, "imagesrcset"), add);
}

function addCandidates(value: string | undefined, add: Add): void {
  if (value === undefined) return;
  for (const { address } of candidatesOf(value)) add("srcset", address);
}

const metaAddresses =
  /^(?:og:(?:image|video|audio|url)(?::(?:secure_)?url)?|twitter:(?:image|player)(?::src)?|msapplication-tileimage)$/i;

function addMeta(element: Element, add: Add): void {
  const name = attribute(element, "property") ?? attribute(element, "name") ?? "";
  const content = attribute(element, "content") ?? "";
  if (metaAddresses.test(name)) add("og", content);
  const to = readRefresh(element)?.address ?? null;
  if (to !== null) add("link", to, "refresh");
}

const structured = new Set([
  "url",
  "image",
  "logo",
  "sameAs",
  "contentUrl",
  "thumbnailUrl",
  "embedUrl",
  "mainEntityOfPage",
  "item",
  "photo",
]);
const maxStructured = 200;

/** The addresses in structured data, in the properties of schema.org that contain some. */
export function structuredAddresses(text: string): string[] {
  const found: string[] = [];
  const stack: { value: unknown; name: string; depth: number }[] = [];
  try {
    stack.push({ value: JSON.parse(text), name: "", depth: 0 });
  } catch {
    return found;
  }
  for (let top = stack.pop(); top && found.length < maxStructured; top = stack.pop()) {
    const { value, name, depth } = top;
    if (typeof value === "string") {
      if (structured.has(name) && /^(?:https?:\/\/|\/)/i.test(value)) found.push(value);
    } else if (Array.isArray(value) && depth < 20) {
      for (const item of value) stack.push({ value: item, name, depth: depth + 1 });
    } else if (typeof value === "object" && value !== null && depth < 20) {
      for (const [key, item] of Object.entries(value)) {
        stack.push({ value: item, name: key, depth: depth + 1 });
      }
    }
  }
  return found;
}

const sheetKinds: Readonly<Record<SheetAddress["kind"], ReferenceKind>> = {
  import: "style",
  font: "font",
  image: "css",
};

/** Of an `@font-face` or elsewhere; references within the same document are left out. */
function addSheet(addresses: readonly SheetAddress[], add: Add, firstLine: number): void {
  for (const { address, kind, line } of addresses) {
    if (!address.startsWith("#")) add(sheetKinds[kind], address, undefined, firstLine + line - 1);
  }
}

function addScript(element: Element, add: Add): void {
  add("script", attribute(element, "src"));
  if (attribute(element, "type")?.toLowerCase().trim() !== "application/ld+json") return;
  for (const address of structuredAddresses(rawText(element))) add("jsonld", address);
}

function addSource(element: Element, add: Add): void {
  const around = element.parent;
  addCandidates(attribute(element, "srcset"), add);
  if (isElement(around) && around.name !== "picture") add("media", attribute(element, "src"));
}

function addInput(element: Element, add: Add): void {
  if (attribute(element, "type")?.toLowerCase() === "image") {
    add("image", attribute(element, "src"));
  }
  add("form", attribute(element, "formaction"));
}

const byHref = (element: Element) => attribute(element, "href") ?? attribute(element, "xlink:href");

const readers: Readonly<Record<string, (element: Element, add: Add) => void>> = {
  a: (element, add) => add("link", byHref(element), attribute(element, "rel")),
  area: (element, add) => add("link", attribute(element, "href"), attribute(element, "rel")),
  img(element, add) {
    add("image", attribute(element, "src"));
    addCandidates(attribute(element, "srcset"), add);
  },
  link: addLink,
  meta: addMeta,
  noscript(element, add) {
    for (const { address } of refreshesIn(element)) {
      if (address !== null) add("link", address, "refresh noscript");
    }
  },
  script: addScript,
  style: (element, add) =>
    addSheet(
      readSheet(rawText(element)).addresses,
      add,
      element.sourceCodeLocation?.startLine ?? 1,
    ),
  source: addSource,
  input: addInput,
  button: (element, add) => add("form", attribute(element, "formaction")),
  form: (element, add) => add("form", attribute(element, "action")),
  iframe: (element, add) => add("frame", attribute(element, "src")),
  frame: (element, add) => add("frame", attribute(element, "src")),
  embed: (element, add) => add("media", attribute(element, "src")),
  object: (element, add) => add("media", attribute(element, "data")),
  audio: (element, add) => add("media", attribute(element, "src")),
  track: (element, add) => add("media", attribute(element, "src")),
  video(element, add) {
    add("media", attribute(element, "src"));
    add("image", attribute(element, "poster"));
  },
  image: (element, add) => add("image", byHref(element)),
  use: (element, add) => add("image", byHref(element)),
  body: (element, add) => add("image", attribute(element, "background")),
};

const textual = new Set<ReferenceKind>(["link", "form"]);

function textOfLink(element: Element, kind: ReferenceKind): string {
  if (!textual.has(kind)) return (attribute(element, "alt") ?? "").slice(0, 80);
  const label = attribute(element, "aria-label");
  const text = label ?? shortText(element);
  if (text !== "" || element.name !== "a") return text.slice(0, 80);
  const image = element.children.find((child) => isElement(child) && child.name === "img");
  return isElement(image) ? (attribute(image, "alt") ?? "").slice(0, 80) : "";
}

/**
 * The base of a page's relative addresses: its own address, or its `base` (HTML standard, 4.2.3).
 */
export function baseOf(page: Page, url: string): string {
  const href = attribute(page.first("base") ?? ({ attribs: {} } as Element), "href");
  return (href !== undefined && URL.parse(href.trim(), url)?.href) || url;
}

/** Every reference to a web address in a page, in the order of the source. */
export function referencesOf(page: Page, url: string, resolver: Resolver): Found[] {
  const base = baseOf(page, url);
  const found: Found[] = [];
  for (const element of page.elements) {
    const read = readers[element.name];
    const style = element.attribs["style"];
    if (!read && style === undefined) continue;
    let selector: string | undefined;
    const add: Add = (kind, raw, rel, line) => {
      const resolved = raw === undefined ? null : resolver.resolve(raw, base);
      if (raw === undefined || !resolved) return;
      selector ??= locate(element);
      const reference: Reference = {
        kind,
        url: resolved.url,
        raw,
        page: page.path,
        selector,
        line: line ?? element.sourceCodeLocation?.startLine ?? null,
        text: textOfLink(element, kind),
      };
      if (rel !== undefined && rel !== "") reference.rel = rel;
      found.push({ reference, key: resolved.key, own: resolved.own });
    };
    read?.(element, add);
    if (style !== undefined && style.includes("(")) {
      for (const address of styleAttributeAddresses(style)) {
        if (!address.startsWith("#")) add("css", address);
      }
    }
  }
  return found;
}

/** The references in a style sheet, located on the page that loads it. */
export function sheetReferences(
  addresses: readonly SheetAddress[],
  sheet: string,
  page: string,
  resolver: Resolver,
): Found[] {
  const found: Found[] = [];
  addSheet(
    addresses,
    (kind, raw, _rel, line) => {
      const resolved = raw === undefined ? null : resolver.resolve(raw, sheet);
      if (raw === undefined || !resolved) return;
      const { url, key, own } = resolved;
      const place = { page, selector: "", line: line ?? null, text: "", sheet };
      found.push({ reference: { kind, url, raw, ...place }, key, own });
    },
    1,
  );
  return found;
}

/** The images of a web app manifest. */
export function manifestReferences(
  text: string,
  manifest: string,
  page: string,
  resolver: Resolver,
): Found[] {
  let read: { icons?: unknown; screenshots?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return [];
  }
  const listed = [read?.icons, read?.screenshots].flatMap((list) =>
    Array.isArray(list) ? (list as { src?: unknown }[]) : [],
  );
  return listed.slice(0, 50).flatMap((entry) => {
    const raw = entry?.src;
    const resolved = typeof raw === "string" ? resolver.resolve(raw, manifest) : null;
    if (typeof raw !== "string" || !resolved) return [];
    const { url, key, own } = resolved;
    const place = { page, selector: "", line: null, text: "", sheet: manifest };
    return [{ reference: { kind: "icon", url, raw, ...place } as const, key, own }];
  });
}
