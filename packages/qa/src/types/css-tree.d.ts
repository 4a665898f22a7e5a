/** The parts of css-tree that are used here; the package has no types. */
declare module "css-tree/tokenizer" {
  export const tokenTypes: Readonly<
    Record<
      | "Url"
      | "String"
      | "Function"
      | "LeftParenthesis"
      | "RightParenthesis"
      | "AtKeyword"
      | "Semicolon"
      | "LeftCurlyBracket",
      number
    >
  >;
  export function tokenize(
    source: string,
    onToken: (type: number, start: number, end: number) => void,
  ): void;
}

declare module "css-tree/utils" {
  export const url: { decode(text: string): string; encode(text: string): string };
  export const string: {
    decode(text: string): string;
    encode(text: string, apostrophe?: boolean): string;
  };
}
