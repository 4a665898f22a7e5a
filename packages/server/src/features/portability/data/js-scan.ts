/** A source being scanned. */
export interface Scan {
  source: string;
  /** How many more characters may be scanned for the end of unterminated texts. */
  lookahead: number;
}

/** A few megabytes; otherwise, unpaired quotation marks would take quadratic time. */
const maxLookahead = 4 * 1024 * 1024;

export const scanOf = (source: string): Scan => ({ source, lookahead: maxLookahead });

/**
 * The position after the closing mark of a quoted text that begins at `start`; -1 if it doesn't
 * end.
 */
export function endOfString(scan: Scan, start: number): number {
  const { source } = scan;
  const mark = source[start];
  let at = start + 1;
  for (const end = Math.min(source.length, start + scan.lookahead); at < end; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (character === mark) return at + 1;
    else if (character === "\n" && mark !== "`") break;
  }
  scan.lookahead -= at - start;
  return -1;
}

/** The position after spaces and comments. */
export function skipBlank(source: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(source[at] ?? "")) at += 1;
    if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      at = end < 0 ? source.length : end + 2;
    } else return at;
  }
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * The position of the first of `stops` at or after `start` that is outside brackets, quotes, and
 * comments; the position of an unmatched closing bracket if it comes first; otherwise `end`. Takes
 * one pass.
 */
export function skipTo(scan: Scan, start: number, stops: string, end = scan.source.length): number {
  const { source } = scan;
  let depth = 0;
  let at = start;
  while (at < end) {
    at = source[at] === "/" ? skipBlank(source, at) : at;
    const character = source[at] ?? "";
    if (depth === 0 && stops.includes(character)) return at;
    if (character === '"' || character === "'" || character === "`") {
      const behind = endOfString(scan, at);
      // An apostrophe in the text of markup.
      at = behind < 0 ? at + 1 : behind;
      continue;
    }
    if (pairs[character] !== undefined) depth += 1;
    else if (character === ")" || character === "]" || character === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
    at += 1;
  }
  return end;
}
