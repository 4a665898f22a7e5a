/** The parts of css-tree that are used here; the package has no types. */
declare module "css-tree" {
  export interface CssNode {
    type: string;
    name?: string;
    property?: string;
    important?: boolean | string;
    prelude?: CssNode | null;
    block?: CssNode | null;
    value?: CssNode | string;
    children?: Iterable<CssNode>;
  }
  export function parse(
    text: string,
    options?: {
      positions?: boolean;
      parseValue?: boolean;
      parseRulePrelude?: boolean;
      parseAtrulePrelude?: boolean;
      onParseError?: (error: Error) => void;
    },
  ): CssNode;
  export function generate(node: CssNode): string;
}
