import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, ManifestFile } from "../../../release/artifact/artifact.ts";
import {
  isElement,
  makePageReader,
  type PageNode,
  type PageReader,
  markupShape,
  textOf,
  TooLarge,
  walk,
} from "./tree.ts";

/** Maximum bytes of a page or another text file that are read. */
export const maxFileBytes = 2 * 1024 * 1024;

/** A built site whose pages are read on demand. */
export interface SiteView {
  dir: string;
  manifest: Manifest;
  entry(path: string): ManifestFile | undefined;
  bytes(path: string): Buffer;
  /** The first 64 bytes of a file of any size. */
  head(path: string): Buffer;
  /** Throws `TooLarge`, also for unreadable pages. */
  page(path: string): PageNode;
  isPage(path: string): boolean;
}

export function openSiteView(
  dir: string,
  manifest: Manifest,
  reader: PageReader = makePageReader(),
): SiteView {
  const pages = new Map<string, PageNode>();
  const entry = (path: string) =>
    Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined;
  const bytes = (path: string): Buffer => {
    const found = entry(path);
    if (!found || found.bytes > maxFileBytes) throw new TooLarge("it is too large");
    try {
      return readFileSync(join(dir, found.file));
    } catch {
      throw new TooLarge("it can't be read");
    }
  };
  const head = (path: string): Buffer => {
    const found = entry(path);
    if (!found) throw new TooLarge("it can't be read");
    let file: number | undefined;
    try {
      file = openSync(join(dir, found.file), "r");
      const start = Buffer.alloc(64);
      return start.subarray(0, readSync(file, start, 0, 64, 0));
    } catch {
      throw new TooLarge("it can't be read");
    } finally {
      if (file !== undefined) closeSync(file);
    }
  };
  return {
    dir,
    manifest,
    entry,
    bytes,
    head,
    page(path) {
      const markup = pages.get(path);
      if (markup) return markup;
      const page = reader.read(bytes(path).toString("utf8"));
      pages.set(path, page);
      return page;
    },
    isPage(path) {
      const found = entry(path);
      return (
        found !== undefined && found.type.startsWith("text/html") && found.file.endsWith(".html")
      );
    },
  };
}

/** The first element with this name; undefined if there is none. */
export function findElement(node: PageNode, tag: string): PageNode | undefined {
  for (const one of walk(node)) if (one.tag === tag) return one;
  return undefined;
}

/** What visible elements in the main part of live pages look like. */
export interface SiteMarkup {
  /** Elements by name and attributes, without their own values. */
  shapes: ReadonlySet<string>;
  /** Subtrees without text, such as icons. */
  drawings: ReadonlySet<number>;
  /** Attributes that the site's builder adds to elements for styles. */
  styleMarks: ReadonlySet<string>;
  /** Addresses of links in main parts, as written. */
  hrefs: ReadonlySet<string>;
  /** Addresses of images in main parts. */
  images: ReadonlySet<string>;
}

const styleMark = /^data-astro-cid-[a-z0-9]{4,16}$/;
export const isStyleMark = (name: string): boolean => styleMark.test(name);
const numbering = /^[\d\p{Nd}]{0,3}\.?$/u;

/** Whether an element is hidden from everybody or from some visitors. */
export function isHidden(node: PageNode): boolean {
  const { attributes } = node;
  if (attributes.has("hidden") || attributes.has("inert")) return true;
  return (
    attributes.get("aria-hidden") === "true" &&
    node.tag !== "svg:svg" &&
    !numbering.test(textOf(node))
  );
}

function collect(
  node: PageNode,
  markup: {
    shapes: Set<string>;
    drawings: Set<number>;
    styleMarks: Set<string>;
    hrefs: Set<string>;
    images: Set<string>;
  },
) {
  if (!isElement(node)) return;
  if (node.tag === "svg:svg") {
    markup.drawings.add(node.id);
    return;
  }
  if (node.tag === "form" || isHidden(node)) return;
  markup.shapes.add(markupShape(node));
  for (const name of node.attributes.keys()) if (isStyleMark(name)) markup.styleMarks.add(name);
  const href = node.attributes.get("href");
  if (node.tag === "a" && href !== undefined) markup.hrefs.add(href);
  if (node.tag === "img") for (const address of imageAddresses(node)) markup.images.add(address);
  for (const child of node.children) collect(child, markup);
}

/** The addresses that an image can be loaded from. */
export function imageAddresses(node: PageNode): string[] {
  const set = (node.attributes.get("srcset") ?? "")
    .split(",")
    .map((part) => part.trim().split(/\s+/)[0] ?? "");
  return [node.attributes.get("src") ?? "", ...set].filter((address) => address !== "");
}

/** Collects the markup of live pages. Unreadable pages are skipped. */
export function readSiteMarkup(site: SiteView, paths: Iterable<string>): SiteMarkup {
  const markup = {
    shapes: new Set<string>(),
    drawings: new Set<number>(),
    styleMarks: new Set<string>(),
    hrefs: new Set<string>(),
    images: new Set<string>(),
  };
  for (const path of paths) {
    try {
      const main = findElement(site.page(path), "main");
      if (main) collect(main, markup);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  return markup;
}
