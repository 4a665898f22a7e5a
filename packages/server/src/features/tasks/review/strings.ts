import { cleanAddress } from "./link-target.ts";
import { MarkupTooComplex } from "./tags.ts";

const quoted = /(?:"((?:[^"\\\n\f\r]+|\\[\s\S])*)|'((?:[^'\\\n\f\r]+|\\[\s\S])*))/y;

/**
 * Possible strings in a style sheet or in JSON, in raw form: from every quotation mark to the next
 * of its kind, because it is unknown which of them begins one. Throws `MarkupTooComplex`.
 */
export function* stringsOf(text: string): Generator<string> {
  let budget = 6 * text.length + 100_000;
  for (const { index } of text.matchAll(/["']/g)) {
    quoted.lastIndex = index;
    const [all = "", double, single] = quoted.exec(text) ?? [];
    budget -= all.length;
    if (budget < 0) throw new MarkupTooComplex("its strings are nested too deeply");
    yield double ?? single ?? "";
  }
}

const elsewhere =
  /^(?:(?:https?|wss?|ftp|blob|filesystem|javascript):|data:(?:text\/|application\/|[,;])|[\\/]{2,}[^\s\\/])/i;

/** Names of vocabularies: written as addresses, never loaded. */
const vocabulary = /^https?:\/\/(?:www\.w3\.org|schema\.org|ogp\.me)\//i;

/** Whether a text of unknown purpose is an external address or code. */
export function isExternalOrCode(text: string): boolean {
  const address = cleanAddress(text);
  return elsewhere.test(address) && !vocabulary.test(address);
}
