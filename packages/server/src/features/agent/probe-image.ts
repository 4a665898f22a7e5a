import { randomInt } from "node:crypto";

/** Clearly distinguishable colors, by name. */
const colors = {
  red: "#e01b24",
  green: "#1f9d3a",
  blue: "#1a4fd6",
  yellow: "#f7d308",
  black: "#000000",
  white: "#ffffff",
} as const;
type Color = keyof typeof colors;

export const colorNames = Object.keys(colors) as Color[];

const band = { width: 128, height: 256 };
const bands = 3;

/** Three different colors: one of 120 sequences, so guesses are rarely right. */
export function randomColors(pick: (below: number) => number = randomInt): Color[] {
  const left = [...colorNames];
  return Array.from({ length: bands }, () => left.splice(pick(left.length), 1)).flat();
}

/** A PNG with these colors as vertical bands from left to right. */
export async function makeBandsImage(row: readonly Color[]): Promise<Buffer> {
  // Loaded only here; the web process needs it for nothing else.
  const { default: sharp } = await import("sharp");
  const stripes = row.map((color, i) => ({
    input: { create: { ...band, channels: 3 as const, background: colors[color] } },
    left: i * band.width,
    top: 0,
  }));
  const canvas = {
    width: band.width * row.length,
    height: band.height,
    channels: 3 as const,
    background: "#ffffff",
  };
  return sharp({ create: canvas }).composite(stripes).png().toBuffer();
}

/** Whether a text begins or ends with exactly these colors in this order. */
export function matchesColors(text: string, row: readonly Color[]): boolean {
  const named = text.toLowerCase().match(new RegExp(`\\b(${colorNames.join("|")})\\b`, "g")) ?? [];
  const same = (found: readonly string[]) => found.join(" ") === row.join(" ");
  return same(named.slice(0, row.length)) || same(named.slice(-row.length));
}
