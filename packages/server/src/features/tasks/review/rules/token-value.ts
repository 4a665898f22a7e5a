import { parse, wcagContrast } from "culori";
import type { StyleAspect } from "../../schema.ts";

/** The aspect that a design token belongs to, by its name; null for none. */
export function aspectOf(token: string): StyleAspect | null {
  const name = token.replace(/^--/, "").toLowerCase();
  if (/^(?:size|font-size|text-size|leading|line-height|tracking|weight)(?:-|$)/.test(name))
    return "size";
  if (/^(?:font|typeface|family)(?:-|$)/.test(name)) return "font";
  if (/radius|rounded|corner/.test(name)) return "radius";
  if (/^(?:space|spacing|gap|gutter|page|measure|rail|section)(?:-|$)/.test(name)) return "spacing";
  if (/accent|brand|primary/.test(name)) return "accent";
  if (/^(?:bg|background|surface|paper)(?:-|$)/.test(name)) return "background";
  if (/^(?:text|fg|ink|muted|foreground)(?:-|$)/.test(name)) return "text";
  return /^(?:line|border|control|separator)(?:-|$)/.test(name) ? "line" : null;
}

const pair = /^light-dark\(((?:[^(),]|\([^()]*\))+),((?:[^(),]|\([^()]*\))+)\)$/i;

/** The colors of a value, light then dark; null if it isn't an opaque color. */
export function colorsOf(value: string): [string, string] | null {
  const both = pair.exec(value.trim());
  const colors = both ? [both[1] ?? "", both[2] ?? ""] : [value, value];
  const [light = "", dark = ""] = colors.map((color) => color.trim());
  const isOpaque = (text: string) => {
    const color = /^[#\w(),.%/\s+-]{1,80}$/.test(text) ? parse(text) : undefined;
    return color !== undefined && (color.alpha ?? 1) === 1;
  };
  return isOpaque(light) && isOpaque(dark) ? [light, dark] : null;
}

/** Contrast ratio of two colors (WCAG 2.2), 1 to 21. */
export const contrastOf = (one: string, other: string): number => wcagContrast(one, other);

const numeral = /(?<![\w#-])(-?(?:\d+\.?\d*|\.\d+))(%|[a-z]{0,5})(?![\w(])/gi;
const pixels: Readonly<Record<string, number>> = { px: 1, rem: 16, em: 16, "": 1 };

function numbersOf(value: string): {
  skeleton: string;
  numbers: { amount: number; unit: string }[];
} {
  const numbers: { amount: number; unit: string }[] = [];
  const skeleton = value.replace(numeral, (_, amount: string, unit: string) => {
    numbers.push({ amount: Number(amount), unit: unit.toLowerCase() });
    return `0${unit.toLowerCase()}`;
  });
  return { skeleton: skeleton.replace(/\s+/g, ""), numbers };
}

const ratios: Readonly<Record<"size" | "spacing" | "radius", readonly [number, number]>> = {
  size: [0.8, 1.35],
  spacing: [0.5, 2.05],
  radius: [0, Infinity],
};

const single = /^\s*(\d*\.?\d+)(px|rem)?\s*$/;

/** A single length in CSS pixels at the default text size; null for others. */
function lengthOf(value: string): number | null {
  const [, amount, unit = ""] = single.exec(value) ?? [];
  return amount === undefined || (unit === "" && Number(amount) !== 0)
    ? null
    : Number(amount) * (pixels[unit] ?? 1);
}

const maxValues = { radius: 48, weight: [300, 800], leading: [0.95, 2] } as const;

function isUsualNumber(token: string, amount: number): boolean {
  if (/weight/.test(token)) return amount >= maxValues.weight[0] && amount <= maxValues.weight[1];
  if (/leading|line-height/.test(token))
    return amount >= maxValues.leading[0] && amount <= maxValues.leading[1];
  return /tracking/.test(token) && Math.abs(amount) <= 0.05;
}

/** Whether a length or number has changed within limits that keep the page's layout. */
export function isUsualChange(
  token: string,
  aspect: "size" | "spacing" | "radius",
  before: string,
  after: string,
): boolean {
  const lengths = [lengthOf(before), lengthOf(after)] as const;
  if (aspect === "radius")
    return lengths[0] !== null && lengths[1] !== null && lengths[1] <= maxValues.radius;
  const [least, greatest] = ratios[aspect];
  const within = (old: number, young: number) =>
    old !== 0 && young / old >= least && young / old <= greatest;
  if (lengths[0] !== null && lengths[1] !== null && lengths[0] > 0) {
    return (
      within(lengths[0], lengths[1]) &&
      (aspect !== "size" || lengths[1] >= Math.min(12, lengths[0]))
    );
  }
  const [old, young] = [numbersOf(before), numbersOf(after)];
  if (old.skeleton !== young.skeleton || old.numbers.length === 0) return false;
  return old.numbers.every(({ amount }, i) => {
    const next = young.numbers[i]?.amount ?? Number.NaN;
    return (
      amount === next ||
      (/weight|leading|line-height|tracking/.test(token)
        ? isUsualNumber(token, next)
        : within(amount, next))
    );
  });
}

const generic = new Set(
  "serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji".split(
    " ",
  ),
);

/** The names of fonts in a list; null if it isn't a list of names. */
export function familiesOf(value: string): string[] | null {
  const names = value.split(",").map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2"));
  return names.length > 0 && names.every((name) => /^[\p{L}\p{N} _-]{1,60}$/u.test(name))
    ? names
    : null;
}

export const isGenericFamily = (name: string): boolean => generic.has(name.toLowerCase());
