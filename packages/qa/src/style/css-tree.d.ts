/** The part of css-tree that parsing style sheets needs; the package has no types. */
declare module "css-tree" {
  export interface CssList<T> extends Iterable<T> {
    isEmpty: boolean;
    size: number;
    last: T | null;
    toArray(): T[];
  }
  export interface CssNode {
    type: string;
    name?: string | CssNode;
    value?: string | CssNode;
    property?: string;
    important?: boolean | string;
    children?: CssList<CssNode> | null;
    prelude?: CssNode | null;
    block?: CssNode | null;
    loc?: { start: { line: number; offset: number }; end: { offset: number } } | null;
    nth?: CssNode | null;
    selector?: CssNode | null;
  }
  export interface ParseOptions {
    context?: "stylesheet" | "declarationList" | "selectorList" | "value";
    parseValue?: boolean;
    parseAtrulePrelude?: boolean;
    parseRulePrelude?: boolean;
    parseCustomProperty?: boolean;
    positions?: boolean;
    onParseError?: (error: Error) => void;
  }
  export function parse(text: string, options?: ParseOptions): CssNode;
  export function generate(node: CssNode): string;
}

/** As in the main module, without the grammar of all properties, which takes long to load. */
declare module "css-tree/parser" {
  export { parse as default } from "css-tree";
}

declare module "css-tree/generator" {
  export { generate as default } from "css-tree";
}
