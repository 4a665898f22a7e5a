import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { isThemeScript } from "../../packages/server/src/kit/theme-script.ts";

/** Reads a built site as a plain static server and a strict reader would. */

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** The paths of all files below a folder, each beginning with a slash, in order. */
export async function filesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .toSorted();
}

export async function pagesOf(root: string): Promise<string[]> {
  return (await filesOf(root)).filter((file) => file.endsWith(".html"));
}

/** One digest over the names and bytes of every file. */
export async function digestOf(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await filesOf(root)) {
    hash.update(`${file}\0`).update(await readFile(join(root, file)));
  }
  return hash.digest("hex");
}

/** The elements of a page in the order of its source. */
export async function readPage(root: string, file: string): Promise<Element[]> {
  return elementsOf(parse(await readFile(join(root, file), "utf8")));
}

function elementsOf(node: Node): Element[] {
  const here = "tagName" in node ? [node] : [];
  const children = "childNodes" in node ? node.childNodes : [];
  return [...here, ...children.flatMap(elementsOf)];
}

export function attribute(element: Element | undefined, name: string): string | undefined {
  return element?.attrs.find((entry) => entry.name === name)?.value;
}

export function textOf(node: Node | undefined): string {
  if (!node) return "";
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** The content of the `meta` element of that name or property. */
export function metaOf(elements: Element[], name: string): string | undefined {
  const found = elements.find((element) => {
    return attribute(element, "name") === name || attribute(element, "property") === name;
  });
  return attribute(found, "content");
}

/** Every address that an element loads or leads to. */
export function addressesOf(element: Element): string[] {
  const sources = [attribute(element, "srcset"), attribute(element, "imagesrcset")]
    .filter((value) => value !== undefined)
    .flatMap((value) => value.split(",").map((part) => part.trim().split(/\s+/)[0] ?? ""));
  const plain = ["href", "src", "poster"].map((name) => attribute(element, name));
  return [...plain.filter((value) => value !== undefined), ...sources];
}

/** The file that a plain static server gives for a path; null when there is none. */
export function fileFor(root: string, path: string): string | null {
  const file = path.endsWith("/") ? `${path}index.html` : path;
  return existsSync(join(root, file)) ? file : null;
}

/** `page → address` for each address within the site that leads nowhere, fragments included. */
export async function brokenLinks(root: string, baseUrl: string): Promise<string[]> {
  const pages = new Map<string, Element[]>();
  for (const page of await pagesOf(root)) pages.set(page, await readPage(root, page));
  const hasId = (file: string, id: string) => {
    return pages.get(file)?.some((element) => attribute(element, "id") === id) ?? false;
  };
  const broken: string[] = [];
  for (const [page, elements] of pages) {
    const base = new URL(page.replace(/index\.html$/, ""), baseUrl);
    for (const address of elements.flatMap(addressesOf)) {
      const url = new URL(address, base);
      if (url.origin !== base.origin) continue;
      const file = fileFor(root, decodeURIComponent(url.pathname));
      const id = decodeURIComponent(url.hash.slice(1));
      if (file === null || (id !== "" && !hasId(file, id))) broken.push(`${page} → ${address}`);
    }
  }
  return broken;
}

const executable = new Set(["style", "iframe", "object", "embed", "form", "base", "frame"]);

/** What a page of this site never has: scripts, handlers, and anything loaded from elsewhere. */
export async function intrusions(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const page of await pagesOf(root)) {
    for (const element of await readPage(root, page)) {
      found.push(...intrusionsOf(element).map((what) => `${page}: ${what}`));
    }
  }
  return found;
}

/** One of the forms that the site has: to its owner, and for what is looked for. */
function isOwnForm(element: Element): boolean {
  const action = attribute(element, "action") ?? "";
  return element.tagName === "form" && ["/api/contact", "/search/"].includes(action);
}

/** A file of the build, or the one text by which all pages take their theme. */
function isOwnScript(element: Element): boolean {
  if (attribute(element, "src")?.startsWith("/_astro/")) return textOf(element) === "";
  return isThemeScript(textOf(element));
}

function intrusionsOf(element: Element): string[] {
  const found: string[] = [];
  if (executable.has(element.tagName) && !isOwnForm(element)) {
    found.push(`<${element.tagName}>`);
  }
  if (element.tagName === "script" && !isData(element) && !isOwnScript(element)) {
    found.push(`<script> ${textOf(element)}`);
  }
  for (const { name, value } of element.attrs) {
    if (name.startsWith("on")) found.push(`${name}=${value}`);
    if (name === "style" && /url\((?!data:image\/)/i.test(value)) found.push(`style=${value}`);
  }
  for (const address of addressesOf(element)) {
    const leads = element.tagName === "a" && /^(https?:\/\/|mailto:|#)/.test(address);
    const canonical = attribute(element, "rel") === "canonical";
    if (!leads && !canonical && !/^\/(?![/\\])/.test(address)) found.push(address);
  }
  return found;
}

function isData(script: Element): boolean {
  if (attribute(script, "type") !== "application/ld+json") return false;
  try {
    return typeof JSON.parse(textOf(script)) === "object";
  } catch {
    return false;
  }
}
