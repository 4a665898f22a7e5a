import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";

/**
 * Which file of the site's fonts has a letter. Each family is several files: most letters of Latin
 * scripts in one, further ones in others. What all first files have, is told without opening any.
 */

/** A piece of a line that is set in one font. */
export interface Run {
  text: string;
  /** Path under node_modules, without what all files end with. */
  file: string;
}

/** What each first file has. */
const common =
  "\\u0020-\\u007e\\u00a0-\\u00a3\\u00a5-\\u00ac\\u00ae-\\u00ff\\u0131\\u0152\\u0153\\u2013\\u2014\\u2018-\\u201a\\u201c-\\u201e\\u2022\\u2026\\u2039\\u203a\\u2044\\u20ac\\u2122\\u2212";
const plain = new RegExp(`^[${common}\\t\\r\\n]*$`, "u");
const uncommon = new RegExp(`[^${common}\\t\\r\\n]`, "gu");

const subsets: Record<string, string[]> = {
  "bricolage-grotesque": ["latin", "latin-ext", "vietnamese"],
  figtree: ["latin", "latin-ext"],
  newsreader: ["latin", "latin-ext", "vietnamese"],
};

const families = Object.keys(subsets);

/** All files, as paths under node_modules. */
export const fontFiles = families.flatMap((family) => {
  return (subsets[family] ?? []).map((subset) => fileName(family, subset));
});

const require = createRequire(import.meta.url);

/** @param file One of `fontFiles`. */
export function fontFile(file: string): Buffer {
  return readFileSync(require.resolve(file));
}

/** Signs that can be said with others; all other signs without a letter's meaning are left out. */
const spelled: Record<string, string> = {
  "←": "<-",
  "→": "->",
  "↔": "<->",
  "⇒": "=>",
  "≤": "<=",
  "≥": ">=",
  "≠": "!=",
  "≈": "~",
  "‐": "-",
  "‑": "-",
  "‒": "–",
  "―": "—",
  "′": "'",
  "″": '"',
  ʼ: "’",
};

/** Whether every letter is one that all families have in their first file. */
function isPlain(text: string): boolean {
  return plain.test(text);
}

/**
 * The text as it can be set: signs that no font has are spelled with others or left out, so that
 * there is no empty box. Letters stay, also those that no font has.
 */
export function replaceUnprintable(text: string): string {
  if (isPlain(text)) return text;
  return text.normalize("NFC").replace(uncommon, (sign) => {
    if (/[\p{Z}\p{Cc}]/u.test(sign)) return sign === "\u202f" ? "\u00a0" : " ";
    if (/\p{Default_Ignorable_Code_Point}/u.test(sign)) return "";
    const hasFont = (letter: string) => fileWith(letter, families) !== undefined;
    if (hasFont(sign)) return sign;
    const parts = [...sign.normalize("NFKD")].map((part) => spelled[part] ?? part);
    const other = parts.join("");
    if ([...other].every(hasFont)) return other;
    return /[\p{L}\p{N}\p{P}\p{Mn}\p{Mc}]/u.test(sign) ? sign : "";
  });
}

/** The letters of a text that no font has, each once. */
export function missingLetters(text: string): string[] {
  const letters = replaceUnprintable(text).match(uncommon) ?? [];
  return [...new Set(letters)].filter((letter) => !fileWith(letter, families));
}

/**
 * A line in pieces of one font each.
 * @param first The family that is wanted, such as `figtree`. A word that it lacks a letter of is set
 *   in another that has them all, so that no word is of two families.
 */
export function runsOf(line: string, first: string): Run[] {
  if (isPlain(line)) return [{ text: line, file: fileName(first, "latin") }];
  const order = [first, ...families.filter((family) => family !== first)];
  const list: Run[] = [];
  for (const word of line.split(/(?<= )/)) {
    const whole = order.find((family) => [...word].every((letter) => fileWith(letter, [family])));
    for (const letter of word) {
      const file = fileWith(letter, whole ? [whole] : order) ?? fileName(first, "latin");
      const last = list.at(-1);
      if (last?.file === file) last.text += letter;
      else list.push({ text: letter, file });
    }
  }
  return list;
}

function fileWith(letter: string, among: readonly string[]): string | undefined {
  for (const family of among) {
    if (isPlain(letter)) return fileName(family, "latin");
    const files = (subsets[family] ?? []).map((subset) => fileName(family, subset));
    const found = files.find((file) =>
      fontOf(file).hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
    );
    if (found) return found;
  }
  return undefined;
}

function fileName(family: string, subset: string): string {
  return `@fontsource-variable/${family}/files/${family}-${subset}-wght-normal.woff2`;
}

const opened = new Map<string, Font>();

function fontOf(file: string): Font {
  // The types also know collections, which these files are not.
  const font = opened.get(file) ?? (create(fontFile(file)) as Font);
  opened.set(file, font);
  return font;
}
