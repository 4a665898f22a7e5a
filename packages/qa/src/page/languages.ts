import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Whether a code is one of those that axe's rules accept: of the registry of BCP 47. */
function isInRegistry(code: string): boolean {
  // Loaded only when needed: it takes longer than checking a page.
  const axe = require("axe-core") as { utils: { isValidLang(code: string): boolean } };
  return axe.utils.isValidLang(code);
}

const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** Caches codes: nearly all pages declare the same one. */
const registered = new Map<string, boolean>();

/**
 * Whether a tag begins with a registered language (BCP 47) or one for private use, as the rule in
 * the browser decides (`element-facts.js`); a language with a two-letter code must use it.
 */
export function isLanguageTag(tag: string): boolean {
  const [code = ""] = tag.trim().toLowerCase().split("-");
  if (!/^[a-z]{2,3}$/.test(code)) return false;
  if (/^q[a-t][a-z]$/.test(code)) return true;
  const known =
    registered.get(code) ??
    // Node's own list has only registered codes of two letters, but not all of them.
    ((code.length === 2 && names.of(code) !== undefined) || isInRegistry(code));
  registered.set(code, known);
  return known;
}
