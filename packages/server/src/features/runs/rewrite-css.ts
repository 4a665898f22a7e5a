import { tokenize, tokenTypes } from "css-tree/tokenizer";
import { string as cssString, url as cssUrl } from "css-tree/utils";
import { applyEdits, type TextEdit } from "./text-edits.ts";

/** Functions whose quoted arguments are addresses (CSS Values 4, CSS Images 4). */
const addressFunctions = new Set(["url(", "src(", "image(", "image-set(", "-webkit-image-set("]);

/**
 * Rewrites the addresses in a style sheet or a style attribute: `url(…)` with and without quotes,
 * `image-set("…")`, `@import "…"`. Everything else, even comments and broken rules, stays byte for
 * byte.
 */
export function rewriteCss(source: string, map: (address: string) => string): string {
  const edits: TextEdit[] = [];
  const functions: boolean[] = [];
  let importing = false;
  const replace = (
    start: number,
    end: number,
    address: string,
    write: (text: string) => string,
  ) => {
    const mapped = map(address);
    if (mapped !== address) edits.push({ start, end, text: write(mapped) });
  };
  tokenize(source, (type, start, end) => {
    const text = source.slice(start, end);
    if (type === tokenTypes.Url) {
      replace(start, end, cssUrl.decode(text), cssUrl.encode);
    } else if (type === tokenTypes.String) {
      if (importing || functions.at(-1)) {
        replace(start, end, cssString.decode(text), (address) => cssString.encode(address));
      }
      importing = false;
    } else if (type === tokenTypes.Function) {
      functions.push(addressFunctions.has(text.toLowerCase()));
    } else if (type === tokenTypes.LeftParenthesis) {
      functions.push(false);
    } else if (type === tokenTypes.RightParenthesis) {
      functions.pop();
    } else if (type === tokenTypes.AtKeyword) {
      importing = text.toLowerCase() === "@import";
    } else if (type === tokenTypes.Semicolon || type === tokenTypes.LeftCurlyBracket) {
      importing = false;
    }
  });
  return applyEdits(source, edits);
}
