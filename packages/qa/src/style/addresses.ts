import type { CssNode } from "css-tree";
import { tokenize, tokenTypes } from "css-tree/tokenizer";
import { string as cssString, url as cssUrl } from "css-tree/utils";
import { textOf } from "./declarations.ts";

/** An address in a style sheet, and what is loaded from it. */
export interface SheetAddress {
  address: string;
  kind: "import" | "font" | "image";
  line: number;
  /** For a font: its Unicode ranges; empty for all characters. */
  range: string;
}

/** Hosts whose style sheets only provide fonts. */
const fontHosts =
  /^(?:fonts\.(?:googleapis\.com|bunny\.net)|(?:use|p)\.typekit\.net|api\.fontshare\.com|fast\.fonts\.(?:net|com)|cloud\.typography\.com|rsms\.me)$/;

/** Whether a style sheet only provides fonts: then it affects no layout or colors. */
export const isOnlyFonts = ({ hostname }: URL): boolean => fontHosts.test(hostname);

const addressFunctions = new Set(["url(", "src(", "image(", "image-set(", "-webkit-image-set("]);

/** The addresses in a value. */
function addressesIn(text: string): string[] {
  if (!/url\(|src\(|image/i.test(text)) return [];
  const found: string[] = [];
  const functions: boolean[] = [];
  tokenize(text, (type, start, end) => {
    const token = text.slice(start, end);
    if (type === tokenTypes.Url) found.push(cssUrl.decode(token));
    else if (type === tokenTypes.String && functions.at(-1)) found.push(cssString.decode(token));
    else if (type === tokenTypes.Function)
      functions.push(addressFunctions.has(token.toLowerCase()));
    else if (type === tokenTypes.LeftParenthesis) functions.push(false);
    else if (type === tokenTypes.RightParenthesis) functions.pop();
  });
  return found;
}

/** The addresses in a block of declarations, of a font or anything else. */
export function addressesOf(block: CssNode | null | undefined, font: boolean): SheetAddress[] {
  let range = "";
  const found: { address: string; line: number }[] = [];
  for (const node of block?.children ?? []) {
    if (node.type !== "Declaration") continue;
    const text = textOf(node.value);
    if (node.property?.toLowerCase() === "unicode-range") range = text;
    const line = node.loc?.start.line ?? 1;
    for (const address of addressesIn(text)) found.push({ address, line });
  }
  // Browsers load the first format of a font that they support.
  const loaded = font ? found.slice(0, 1) : found;
  const kind = font ? "font" : "image";
  return loaded.map(({ address, line }) => ({ address, kind, line, range }));
}

/** The address of an `@import`; undefined if it has none. */
export function importAddress(node: CssNode): SheetAddress | undefined {
  const [, quoted, single, bare] =
    /^(?:url\()?\s*(?:"([^"]*)"|'([^']*)'|([^\s)"']+))/.exec(textOf(node.prelude)) ?? [];
  const address = quoted ?? single ?? bare;
  if (address === undefined) return undefined;
  return { address, kind: "import", line: node.loc?.start.line ?? 1, range: "" };
}

/** The addresses in a `style` attribute. */
export function styleAttributeAddresses(text: string): string[] {
  return addressesIn(text);
}
