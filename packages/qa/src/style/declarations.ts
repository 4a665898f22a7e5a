import type { CssNode } from "css-tree";
import generate from "css-tree/generator";
import parse from "css-tree/parser";

/** A declaration that may affect the visibility of text or boxes, or the size of an image. */
export interface Declaration {
  property: string;
  /** As written, without `!important`. */
  value: string;
  important: boolean;
}

const kept = new Set(
  `color background background-color background-image background-clip -webkit-background-clip
  -webkit-text-fill-color opacity display visibility font font-size font-weight color-scheme position
  filter backdrop-filter mix-blend-mode text-shadow clip clip-path all animation animation-name
  animation-timeline width height block-size aspect-ratio inset top left right bottom inset-block inset-inline transform
  translate scale grid-area grid-row grid-column margin-top margin-left margin content text-indent
  content-visibility -webkit-mask mask mask-image border border-top border-right border-bottom
  border-left border-style outline box-shadow`.split(/\s+/),
);

/** The source of a part of a style sheet; empty if there is none. */
export function textOf(node: CssNode | string | null | undefined): string {
  if (node === null || node === undefined) return "";
  return (typeof node === "string" ? node : generate(node)).trim();
}

/** The relevant declarations of a block, including all custom properties. */
export function declarationsOf(block: CssNode | null | undefined): Declaration[] {
  const found: Declaration[] = [];
  for (const node of block?.children ?? []) {
    if (node.type !== "Declaration" || node.property === undefined) continue;
    const custom = node.property.startsWith("--");
    const property = custom ? node.property : node.property.toLowerCase();
    if (!custom && !kept.has(property)) continue;
    const value = textOf(node.value)
      .replace(/\/\*.*?(?:\*\/|$)/gs, " ")
      .trim();
    found.push({
      property,
      value,
      important: node.important !== undefined && node.important !== false,
    });
  }
  return found;
}

/** The declarations of a `style` attribute. */
export function readStyleAttribute(text: string): Declaration[] {
  try {
    const options = { context: "declarationList", parseValue: false } as const;
    return declarationsOf(parse(text.slice(0, 20_000), options));
  } catch {
    return [];
  }
}
