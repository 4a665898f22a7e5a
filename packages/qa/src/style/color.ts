import { createRequire } from "node:module";
import type * as Culori from "culori";
import { asFunction, splitCommas, splitSpaces } from "./text.ts";

/** As a bundle: loading its 151 modules would take a fifth of the engine's start time. */
const { converter, interpolate, parse } = createRequire(import.meta.url)("culori") as typeof Culori;

/** A color in sRGB: channels 0–255 as a screen shows them, alpha 0–1. */
export interface Rgba {
  r: number;
  g: number;
  b: number;
  a: number;
}

/** What colors may depend on. */
export interface ColorContext {
  scheme: "light" | "dark";
  /** The value of `currentcolor`; null if unknown. */
  current: Rgba | null;
}

const toRgb = converter("rgb");
const clip = (channel: number): number => Math.round(Math.min(1, Math.max(0, channel)) * 255);

function toRgba(color: Culori.Color | undefined): Rgba | null {
  if (!color) return null;
  const { r, g, b, alpha = 1 } = toRgb(color);
  if (![r, g, b, alpha].every(Number.isFinite)) return null;
  return { r: clip(r), g: clip(g), b: clip(b), a: Math.min(1, Math.max(0, alpha)) };
}

/** Chromium's system colors, light and dark. */
const system: Readonly<Record<string, readonly [string, string]>> = {
  canvas: ["#ffffff", "#121212"],
  canvastext: ["#000000", "#ffffff"],
  linktext: ["#0000ee", "#9e9eff"],
  visitedtext: ["#551a8b", "#d0adf0"],
  buttontext: ["#000000", "#ffffff"],
  buttonface: ["#efefef", "#6b6b6b"],
  field: ["#ffffff", "#3b3b3b"],
  fieldtext: ["#000000", "#ffffff"],
};

function asCulori(text: string, context: ColorContext): Culori.Color | undefined {
  const rgba = parseColor(text, context);
  // Mixing in a color space needs the color as written, not rounded for a screen.
  return (
    parse(text) ??
    (rgba
      ? { mode: "rgb", r: rgba.r / 255, g: rgba.g / 255, b: rgba.b / 255, alpha: rgba.a }
      : undefined)
  );
}

const spaces = { srgb: "rgb", "srgb-linear": "lrgb", xyz: "xyz65", "xyz-d65": "xyz65" } as const;
const mixSpaces = new Set(["rgb", "lrgb", "lab", "lch", "oklab", "oklch", "hsl", "hwb", "xyz65"]);

function part(text: string): { color: string; share: number | null } {
  const words = splitSpaces(text);
  const index = words.findIndex((word) => /^[\d.]+%$/.test(word));
  if (index < 0) return { color: text.trim(), share: null };
  const share = Number.parseFloat(words[index] as string) / 100;
  return { color: words.toSpliced(index, 1).join(" "), share };
}

/**
 * `color-mix(in oklab, red 20%, blue)` (CSS Color 5), for two colors and percentages that add up to
 * 100.
 */
function mix(args: string, context: ColorContext): Rgba | null {
  const [where = "", first = "", second = "", ...more] = splitCommas(args);
  const [, name = ""] = /^in\s+([a-z0-9-]+)(?:\s+shorter\s+hue)?$/.exec(where) ?? [];
  const space = Object.hasOwn(spaces, name) ? spaces[name as keyof typeof spaces] : name;
  if (more.length > 0 || !mixSpaces.has(space)) return null;
  const [one, two] = [part(first), part(second)];
  const left = asCulori(one.color, context);
  const right = asCulori(two.color, context);
  if (!left || !right) return null;
  const p1 = one.share ?? (two.share === null ? 0.5 : 1 - two.share);
  const p2 = two.share ?? 1 - p1;
  const sum = p1 + p2;
  if (sum <= 0 || p1 < 0 || p2 < 0) return null;
  const [a1, a2] = [left.alpha ?? 1, right.alpha ?? 1];
  const t = p2 / sum;
  const alpha = a1 * (1 - t) + a2 * t;
  if (alpha === 0) return { r: 0, g: 0, b: 0, a: 0 };
  // A transparent color has no hue: colors are mixed premultiplied by alpha.
  const weight = (a2 * t) / alpha;
  const opaque = interpolate(
    [
      { ...left, alpha: 1 },
      { ...right, alpha: 1 },
    ],
    space as "rgb",
  );
  const mixed = toRgba(opaque(weight) as Culori.Color);
  return mixed && { ...mixed, a: Math.min(1, alpha * Math.min(1, sum)) };
}

const cache = new Map<string, Rgba | null>();

function parsePlain(text: string): Rgba | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size > 2000) cache.clear();
  const color = text.length > 200 || /\bfrom\b/.test(text) ? null : toRgba(parse(text));
  cache.set(text, color);
  return color;
}

/** Parses a single color with variables substituted; null if unknown. */
export function parseColor(value: string, context: ColorContext): Rgba | null {
  const text = value.trim().toLowerCase();
  if (text === "transparent") return { r: 0, g: 0, b: 0, a: 0 };
  if (text === "currentcolor") return context.current;
  if (Object.hasOwn(system, text)) {
    return parsePlain((system[text] as [string, string])[context.scheme === "dark" ? 1 : 0]);
  }
  const called = text.length <= 1000 ? asFunction(text) : null;
  if (called?.name === "light-dark") {
    const [light = "", dark = ""] = splitCommas(called.args);
    return parseColor(context.scheme === "dark" ? dark : light, context);
  }
  if (called?.name === "color-mix") return mix(called.args, context);
  return parsePlain(text);
}

/** Whether a word of a shorthand could be a color. */
export function looksLikeColor(word: string): boolean {
  const text = word.toLowerCase();
  return (
    text.startsWith("#") ||
    text === "transparent" ||
    text === "currentcolor" ||
    Object.hasOwn(system, text) ||
    /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/.test(text) ||
    (/^[a-z]+$/.test(text) && parsePlain(text) !== null)
  );
}

/** One color painted over an opaque one. */
export function compositeOver(top: Rgba, below: Rgba): Rgba {
  const blend = (a: number, b: number) => Math.round(a * top.a + b * (1 - top.a));
  return { r: blend(top.r, below.r), g: blend(top.g, below.g), b: blend(top.b, below.b), a: 1 };
}

function luminance({ r, g, b }: Rgba): number {
  const linear = (channel: number) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** The contrast of two opaque colors, 1 to 21 (WCAG 2.2, 1.4.3). */
export function contrastOf(one: Rgba, other: Rgba): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [
    number,
    number,
  ];
  return (high + 0.05) / (low + 0.05);
}

/** As `#rrggbb`. */
export function hexOf({ r, g, b }: Rgba): string {
  return `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
