import { TooTangled } from "./tags.ts";

const quoted = /(?:"((?:[^"\\\n\f\r]+|\\[\s\S])*)|'((?:[^'\\\n\f\r]+|\\[\s\S])*))/y;

/**
 * What could be a string in a style sheet or in JSON, as it is written: from every quotation mark to
 * the next of its kind, because it is not known which of them begins one. Throws `TooTangled`.
 */
export function* stringsOf(text: string): Generator<string> {
  let budget = 6 * text.length + 100_000;
  for (const { index } of text.matchAll(/["']/g)) {
    quoted.lastIndex = index;
    const [all = "", double, single] = quoted.exec(text) ?? [];
    budget -= all.length;
    if (budget < 0) throw new TooTangled("its strings lie within one another");
    yield double ?? single ?? "";
  }
}

/** An address that names a host or a scheme of its own, at the beginning of a text. */
export const absolute =
  /^[\0-\x20]*(?:(?:https?|wss?|ftp|blob|filesystem|javascript|data):|[\\/][\t\n\r]*[\\/](?=[^\s\\/]))/i;

/** Names of vocabularies: written as addresses, never loaded. */
export const vocabulary = /^https?:\/\/(?:www\.w3\.org|schema\.org|ogp\.me|purl\.org)\//i;
