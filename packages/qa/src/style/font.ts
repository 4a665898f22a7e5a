import { uncertain } from "./cascade.ts";
import { lengthOf } from "./length.ts";
import type { Viewing } from "./media.ts";
import { keyword, type Scope, valueOf } from "./scope.ts";
import { splitSpaces } from "./text.ts";

const sizes: Readonly<Record<string, number>> = {
  "xx-small": 9,
  "x-small": 10,
  small: 13,
  medium: 16,
  large: 18,
  "x-large": 24,
  "xx-large": 32,
  "xxx-large": 48,
};

/** What an element's font depends on. */
interface Lettered extends Scope {
  parent: { size: number | null; weight: number | null } | null;
}

/** Size and weight of a `font` shorthand; null if it can't be parsed. */
function readFont(text: string): { size: string; weight: string } | null {
  let weight = "400";
  for (const word of splitSpaces(text.replace(/\s+/g, " ").replace(/ ?\/ ?/g, "/"))) {
    const lower = word.toLowerCase();
    if (/^(?:bold|bolder|lighter)$/.test(lower) || /^\d+(?:\.\d+)?$/.test(lower)) weight = lower;
    else if (
      !/^(?:normal|italic|oblique|small-caps|(?:semi-|extra-|ultra-)?(?:condensed|expanded))$/.test(
        lower,
      )
    ) {
      return { size: lower.split("/")[0] ?? "", weight };
    }
  }
  return null;
}

/** In pixels; null if unknown. `root` is the root's font size, null for the root itself. */
export function fontSize(scope: Lettered, viewing: Viewing, root: number | null): number | null {
  const parent = scope.parent ? scope.parent.size : 16;
  let value = keyword(valueOf(scope, "font-size"), true);
  if (value === undefined || value === "inherit") return parent;
  if (value === uncertain) return null;
  if (value === "initial") return 16;
  if (value.startsWith("font:")) value = readFont(value.slice(5))?.size ?? "";
  const word = value.toLowerCase();
  if (Object.hasOwn(sizes, word)) return sizes[word] ?? null;
  if (parent === null) return null;
  if (word === "smaller") return parent / 1.2;
  if (word === "larger") return parent * 1.2;
  const { width, height } = viewing;
  return lengthOf(word, { em: parent, rem: root ?? 16, width, height, percent: parent });
}

/** As a number, 400 is normal; null if unknown. */
export function fontWeight(scope: Lettered): number | null {
  const parent = scope.parent ? scope.parent.weight : 400;
  let value = keyword(valueOf(scope, "font-weight"), true);
  if (value === undefined || value === "inherit") return parent;
  if (value === uncertain) return null;
  if (value.startsWith("font:")) value = readFont(value.slice(5))?.weight ?? "";
  const word = value.toLowerCase();
  if (word === "initial" || word === "normal") return 400;
  if (word === "bold") return 700;
  if (parent !== null && word === "bolder") return parent < 350 ? 400 : parent < 550 ? 700 : 900;
  if (parent !== null && word === "lighter") return parent < 550 ? 100 : parent < 750 ? 400 : 700;
  const number = Number(word);
  return Number.isFinite(number) && word !== "" ? number : null;
}
