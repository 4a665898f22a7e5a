import type { InlineEdit, InlineTarget } from "../../api/types.ts";

/*
 * Texts of the page under the console: finding them in an element, their sources according to the
 * build, and replacing them. Any amount of white space counts as one space.
 */

export const onOneLine = (text: string): string => text.replace(/[\s\u00a0]+/g, " ").trim();

const ignored = "script, style, template, noscript, svg, vitrine-console, [contenteditable=true]";

/** The non-empty texts of an element, in order. */
export function textNodes(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (onOneLine(node.data) !== "" && !node.parentElement?.closest(ignored)) found.push(node);
  }
  return found;
}

/** The source location in the page's markup; null if there is none. */
const sourceTag = (node: Node): string | null => {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest("[data-source]")?.getAttribute("data-source") ?? null;
};

function readSource(node: Node): InlineTarget["source"] {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(sourceTag(node) ?? "") ?? [];
  return file === undefined ? null : { file, line: Number(line), column: Number(column) };
}

/** Its position among everything on the page with the same source and content. */
function targetOf<T extends Node>(node: T, same: readonly T[], page: string) {
  const tag = sourceTag(node);
  const alike = same.filter((other) => sourceTag(other) === tag);
  const index = Math.max(0, alike.indexOf(node));
  return { page, source: readSource(node), index, count: Math.max(1, alike.length) };
}

/** The page's texts with this content. */
const textsSaying = (text: string): Text[] =>
  textNodes(document.body).filter((node) => onOneLine(node.data) === text);

/** A text of the page in the server's format. */
export function textTarget(node: Text, page: string) {
  const before = onOneLine(node.data);
  return { kind: "text" as const, before, ...targetOf(node, textsSaying(before), page) };
}

const imagesShowing = (src: string): HTMLImageElement[] =>
  [...document.body.querySelectorAll("img")].filter((img) => img.getAttribute("src") === src);

/** An image of the page in the server's format. */
export function imageTarget(image: HTMLImageElement, page: string) {
  const src = image.getAttribute("src") ?? "";
  return { src, ...targetOf(image, imagesShowing(src), page) };
}

const isAt = (node: Node, { source }: Pick<InlineTarget, "source">): boolean =>
  sourceTag(node) === (source && `${source.file}:${source.line}:${source.column}`);

/** The part of the page that an edit is about. */
function meant<T extends Node>(found: readonly T[], edit: InlineEdit): readonly T[] {
  if (edit.scope === "everywhere") return found;
  const one = found.filter((node) => isAt(node, edit))[edit.index];
  return one === undefined ? [] : [one];
}

/** Replaces a text, keeping the white space around it. */
export function writeText(node: Text, text: string): void {
  const [start = "", end = ""] = [/^\s*/, /\s*$/].map((space) => space.exec(node.data)?.[0]);
  node.data = start + text + end;
}

function setAttributes(
  image: Element,
  values: Readonly<Record<string, string | null>>,
): () => void {
  const before = Object.keys(values).map((name) => [name, image.getAttribute(name)] as const);
  const set = (entries: Iterable<readonly [string, string | null]>): void => {
    for (const [name, value] of entries) {
      if (value === null) image.removeAttribute(name);
      else image.setAttribute(name, value);
    }
  };
  set(Object.entries(values));
  return () => set(before);
}

/**
 * Shows an edit on the page; returns a function that undoes it. `src` is the address of a new
 * image.
 */
export function showEdit(edit: InlineEdit, src: string | null): () => void {
  if (edit.kind === "text") {
    const nodes = meant(textsSaying(edit.before), edit).map((node) => ({ node, data: node.data }));
    for (const { node } of nodes) writeText(node, edit.after);
    return () => {
      for (const { node, data } of nodes) node.data = data;
    };
  }
  const images = meant(imagesShowing(edit.src), edit);
  const undos = images.map((image) =>
    edit.kind === "alt"
      ? setAttributes(image, { alt: edit.after })
      : setAttributes(image, { src, srcset: null, sizes: null, style: null, alt: edit.alt }),
  );
  return () => {
    for (const undo of undos) undo();
  };
}

/** A copy of an element's content, for restoring it. */
export function takeSnapshot(element: Element): () => void {
  const parents = [element, ...element.querySelectorAll("*")];
  const kept = parents.map((parent) => [parent, [...parent.childNodes]] as const);
  const texts = kept.flatMap(([, children]) =>
    children.flatMap((node) => (node instanceof Text ? [[node, node.data] as const] : [])),
  );
  return () => {
    for (const [parent, children] of kept) {
      const isSame =
        parent.childNodes.length === children.length &&
        children.every((node, at) => parent.childNodes[at] === node);
      if (!isSame) parent.replaceChildren(...children);
    }
    for (const [node, data] of texts) if (node.data !== data) node.data = data;
  };
}

/** The texts between an element's tags, and those tags. */
export function readSlots(element: Element): { tags: string; texts: string[] } {
  const tags: string[] = [];
  const texts: string[] = [""];
  function read(parent: Element): void {
    for (const node of parent.childNodes) {
      if (node instanceof Text) texts[texts.length - 1] += node.data;
      if (!(node instanceof Element)) continue;
      tags.push(node.localName);
      texts.push("");
      read(node);
      tags.push("/");
      texts.push("");
    }
  }
  read(element);
  return { tags: tags.join(" "), texts: texts.map(onOneLine) };
}
