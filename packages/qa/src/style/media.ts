import { lengthOf } from "./length.ts";
import { findClosingParenthesis } from "./text.ts";

/** The conditions under which a page is viewed. */
export interface Viewing {
  /** CSS pixels. */
  width: number;
  height: number;
  scheme: "light" | "dark";
}

/** Whether a condition is met; null if that is unknown. */
type MediaMatch = boolean | null;

const and = (a: MediaMatch, b: MediaMatch): MediaMatch =>
  a === false || b === false ? false : a === null || b === null ? null : true;
const or = (a: MediaMatch, b: MediaMatch): MediaMatch =>
  a === true || b === true ? true : a === null || b === null ? null : false;
const not = (a: MediaMatch): MediaMatch => (a === null ? null : !a);

function compare(left: number, sign: string, right: number): boolean {
  if (sign === "<") return left < right;
  if (sign === "<=") return left <= right;
  if (sign === ">") return left > right;
  if (sign === ">=") return left >= right;
  return left === right;
}

function pixels(text: string, { width, height }: Viewing): number | null {
  return lengthOf(text, { em: 16, rem: 16, width, height, percent: null });
}

const sized = { width: "width", height: "height", "device-width": "width" } as const;

function dimensionOf(name: string, viewing: Viewing): number | null {
  return Object.hasOwn(sized, name) ? viewing[sized[name as keyof typeof sized]] : null;
}

/** The default preferences of a screen: no reduced motion, no forced colors. */
function keywordOf(name: string, { width, height, scheme }: Viewing): string | null {
  const phone = width < 600;
  const known: Record<string, string> = {
    "prefers-color-scheme": scheme,
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    orientation: width > height ? "landscape" : "portrait",
    hover: phone ? "none" : "hover",
    "any-hover": phone ? "none" : "hover",
    pointer: phone ? "coarse" : "fine",
    "any-pointer": phone ? "coarse" : "fine",
    scripting: "enabled",
    "display-mode": "browser",
    update: "fast",
    grid: "0",
  };
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}

const noKeyword = new Set(["none", "no-preference", "0"]);

function range(text: string, viewing: Viewing): MediaMatch {
  const match = /^(?:([^<>=]+?)\s*(<=?|>=?|=)\s*)?([a-z-]+)\s*(?:(<=?|>=?|=)\s*([^<>=]+))?$/.exec(
    text,
  );
  if (!match) return null;
  const [, before, firstSign = "", name = "", lastSign = "", after] = match;
  const value = dimensionOf(name, viewing);
  if (value === null) {
    // `(400px <= width)` has its name last; `(width >= 400px)` first. Anything else is unknown.
    return null;
  }
  const low = before === undefined ? undefined : pixels(before, viewing);
  const high = after === undefined ? undefined : pixels(after, viewing);
  if (low === null || high === null) return null;
  return (
    (low === undefined || compare(low, firstSign, value)) &&
    (high === undefined || compare(value, lastSign, high))
  );
}

function feature(text: string, viewing: Viewing): MediaMatch {
  const colon = text.indexOf(":");
  if (colon < 0) {
    if (/[<>=]/.test(text)) return range(text, viewing);
    const keyword = keywordOf(text, viewing);
    if (keyword !== null) return !noKeyword.has(keyword);
    return dimensionOf(text, viewing) !== null || text === "color" ? true : null;
  }
  const name = text.slice(0, colon).trim();
  const wanted = text.slice(colon + 1).trim();
  const bound = /^(min|max)-(.+)$/.exec(name);
  const value = dimensionOf(bound?.[2] ?? name, viewing);
  if (value !== null) {
    const size = pixels(wanted, viewing);
    if (size === null) return null;
    return compare(value, bound?.[1] === "min" ? ">=" : bound ? "<=" : "=", size);
  }
  const keyword = keywordOf(name, viewing);
  return keyword === null ? null : keyword === wanted;
}

/** One condition: `(…)`, with `and`, `or` and `not` between and before. */
function condition(text: string, viewing: Viewing, depth: number): MediaMatch {
  let rest = text.trim();
  if (depth > 20) return null;
  if (rest.startsWith("not ") || rest.startsWith("not(")) {
    return not(condition(rest.slice(3), viewing, depth + 1));
  }
  let match: MediaMatch | undefined;
  let joint = and;
  while (rest !== "") {
    const negative = /^not\s*(?=\()/.exec(rest);
    if (negative) rest = rest.slice(negative[0].length);
    if (!rest.startsWith("(")) return null;
    const end = findClosingParenthesis(rest, 0);
    if (end < 0) return null;
    const inner = rest.slice(1, end - 1).trim();
    const nested = inner.startsWith("(") || /^not\b/.test(inner);
    const found = nested ? condition(inner, viewing, depth + 1) : feature(inner, viewing);
    const part = negative ? not(found) : found;
    match = match === undefined ? part : joint(match, part);
    rest = rest.slice(end).trim();
    const word = /^(and|or)\s*/.exec(rest);
    if (rest !== "" && !word) return null;
    joint = word?.[1] === "or" ? or : and;
    rest = rest.slice(word?.[0].length ?? 0);
  }
  return match ?? null;
}

function query(text: string, viewing: Viewing): MediaMatch {
  const match = /^(?:(not|only)\s+)?([a-z][a-z-]*)(?:\s+and\s+(.*))?$/.exec(text);
  if (!match || match[2] === "not") return condition(text, viewing, 0);
  const type: MediaMatch = match[2] === "all" || match[2] === "screen";
  const rest = match[3] === undefined ? true : condition(match[3], viewing, 0);
  const all = and(type, rest);
  return match[1] === "not" ? not(all) : all;
}

/** Whether a media query list matches (Media Queries 5); null if that is unknown. */
export function mediaMatches(list: string, viewing: Viewing): MediaMatch {
  if (list.length > 1000) return null;
  const text = list
    .replace(/\/\*.*?\*\//gs, " ")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim();
  if (text === "") return true;
  let match: MediaMatch = false;
  let start = 0;
  let depth = 0;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (i === text.length || (text[i] === "," && depth === 0)) {
      match = or(match, query(text.slice(start, i).trim(), viewing));
      start = i + 1;
    }
  }
  return match;
}
