import { cleanText } from "../../kit/text.ts";
import { slugLength } from "./project.ts";

/** Latin letters without a Unicode decomposition, and the final form of sigma. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  þ: "th",
  ς: "σ",
};

/** A text for searching: lowercase without accents (NFKD), other scripts unchanged. */
export function foldText(text: string): string {
  return (
    cleanText(text, { multiline: true })
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .replace(/[ßæœøđðħıłþς]/g, (letter) => letters[letter] ?? letter)
      // A standalone accent is replaced by the space that it was on.
      .trim()
  );
}

/** Shortens a slug without leaving a hyphen at its end. */
function cut(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-+$/, "");
}

/** A slug made from a name; `project` for a name without Latin letters or digits. */
export function slugOf(name: string): string {
  const words = foldText(name.replace(/['’]/g, "")).match(/[a-z0-9]+/g) ?? [];
  return cut(words.join("-"), slugLength) || "project";
}

/** The common prefix of all slugs that `freeSlug` may return for `base`. */
export function slugStem(base: string): string {
  return cut(base, slugLength - 12);
}

/** `base`, or the first of `base-2`, `base-3`… that isn't taken. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let slug = base;
  for (let number = 2; taken.has(slug); number += 1) {
    slug = `${cut(base, slugLength - 1 - String(number).length)}-${number}`;
  }
  return slug;
}
