import { asFunction, findClosingParenthesis, splitCommas } from "./text.ts";

/** What lengths are relative to, in CSS pixels. */
export interface LengthContext {
  em: number;
  rem: number;
  width: number;
  height: number;
  /** The value of 100%; null if a percentage can't be resolved. */
  percent: number | null;
}

const absolute: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  q: 2.4 / 2.54,
};

function dimension(text: string, context: LengthContext): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/i.exec(text);
  if (!match) return null;
  const number = Number(match[1]);
  const unit = (match[2] ?? "").toLowerCase();
  if (unit === "") return number;
  if (unit === "%") return context.percent === null ? null : (number * context.percent) / 100;
  const fixed = absolute[unit];
  if (fixed !== undefined) return number * fixed;
  if (unit === "em") return number * context.em;
  if (unit === "rem") return number * context.rem;
  if (unit === "ch" || unit === "ex") return number * context.em * 0.5;
  if (/^[sld]?v(?:w|i)$/.test(unit)) return (number * context.width) / 100;
  if (/^[sld]?v(?:h|b)$/.test(unit)) return (number * context.height) / 100;
  if (/^[sld]?vmin$/.test(unit)) return (number * Math.min(context.width, context.height)) / 100;
  if (/^[sld]?vmax$/.test(unit)) return (number * Math.max(context.width, context.height)) / 100;
  return null;
}

/** The parts of a sum or product, each with the operator before it. */
function terms(text: string): { signs: string[]; parts: string[] } {
  const signs: string[] = [];
  const parts: string[] = [];
  let at = 0;
  let start = 0;
  while (at < text.length && parts.length < 50) {
    const char = text[at] as string;
    if (char === "(") {
      const after = findClosingParenthesis(text, at);
      if (after < 0) break;
      at = after;
    } else if (
      char === "*" ||
      char === "/" ||
      ((char === "+" || char === "-") && text[at - 1] === " " && text[at + 1] === " ")
    ) {
      parts.push(text.slice(start, at).trim());
      signs.push(char);
      start = ++at;
    } else at++;
  }
  parts.push(text.slice(start).trim());
  return { signs, parts };
}

function calculate(text: string, context: LengthContext, depth: number): number | null {
  const { signs, parts } = terms(text.trim());
  const values = parts.map((part) => evaluate(part, context, depth + 1));
  if (values.includes(null)) return null;
  // Products first, then the sum.
  const sums: number[] = [values[0] as number];
  for (const [index, sign] of signs.entries()) {
    const value = values[index + 1] as number;
    const last = sums.length - 1;
    if (sign === "*") sums[last] = (sums[last] as number) * value;
    else if (sign === "/") sums[last] = (sums[last] as number) / value;
    else sums.push(sign === "-" ? -value : value);
  }
  return sums.reduce((total, value) => total + value, 0);
}

function evaluate(text: string, context: LengthContext, depth: number): number | null {
  if (depth > 20) return null;
  if (text.startsWith("(") && findClosingParenthesis(text, 0) === text.length) {
    return calculate(text.slice(1, -1), context, depth);
  }
  const called = asFunction(text);
  if (!called) return dimension(text, context);
  if (called.name === "calc") return calculate(called.args, context, depth);
  const args = splitCommas(called.args).map((part) => calculate(part, context, depth + 1));
  if (args.some((value) => value === null || !Number.isFinite(value))) return null;
  const values = args as number[];
  if (called.name === "min") return Math.min(...values);
  if (called.name === "max") return Math.max(...values);
  if (called.name === "clamp" && values.length === 3) {
    const [min, wanted, max] = values as [number, number, number];
    return Math.max(min, Math.min(wanted, max));
  }
  return null;
}

/** A length in CSS pixels, or a plain number; null if it can't be determined without a browser. */
export function lengthOf(text: string, context: LengthContext): number | null {
  if (text.length > 500) return null;
  const value = evaluate(text.trim().toLowerCase(), context, 0);
  return value === null || !Number.isFinite(value) ? null : value;
}
