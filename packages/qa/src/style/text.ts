/**
 * Splits a CSS value at a separator outside parentheses and quotation marks, into at most 400
 * parts: a longer value is neither a color nor a length.
 */
export function splitTop(text: string, isSeparator: (char: string) => boolean): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let i = 0; i < text.length && parts.length < 400; i++) {
    const char = text[i] as string;
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "(") depth++;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && isSeparator(char)) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** The comma-separated arguments of a function. */
export function splitCommas(text: string): string[] {
  return splitTop(text, (char) => char === ",").map((part) => part.trim());
}

/** The words of a value, at white space. */
export function splitSpaces(text: string): string[] {
  return splitTop(text, (char) => /\s/.test(char)).filter((part) => part !== "");
}

/** Name and arguments of a value that is a single function; null for anything else. */
export function asFunction(text: string): { name: string; args: string } | null {
  const open = text.indexOf("(");
  if (open <= 0 || !text.endsWith(")")) return null;
  const name = text.slice(0, open);
  if (!/^[a-z-]+$/i.test(name)) return null;
  return { name: name.toLowerCase(), args: text.slice(open + 1, -1) };
}

/** The index after the parenthesis that closes the one at `open`; -1 if none does. */
export function findClosingParenthesis(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let i = open; i < text.length; i++) {
    const char = text[i];
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return i + 1;
  }
  return -1;
}
