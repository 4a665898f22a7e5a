/** Maximum addresses per invitation; the server checks it, too. */
export const maxAddresses = 50;

export interface ParsedAddresses {
  /** Lowercase, without duplicates, in order. */
  addresses: string[];
  /** Invalid addresses as typed. */
  invalid: string[];
}

/** Precise enough to catch mistakes; the server's rule decides. */
const shape = /^[^\s@<>,;"()[\]]+@[^\s@<>,;"()[\]]+\.[^\s@<>,;"()[\]]+$/;

/**
 * The addresses in pasted text, separated by lines, commas, semicolons, or spaces, possibly with
 * names: `Ada Lovelace <ada@example.com>`.
 */
export function parseAddresses(text: string): ParsedAddresses {
  const addresses = new Set<string>();
  const wrong: string[] = [];
  const bare = text.replace(/(?:"[^"\n]*"|[^<>,;"\n]*)<([^<>\n]*)>/g, " $1 ");
  for (const word of bare.split(/[\s,;]+/)) {
    const address = word.replace(/^mailto:/i, "").toLowerCase();
    if (address === "") continue;
    if (shape.test(address)) addresses.add(address);
    else wrong.push(address);
  }
  return { addresses: [...addresses], invalid: wrong };
}

/** The error in a text of addresses; null if they can be invited. */
export function addressError(text: string): string | null {
  const { addresses, invalid } = parseAddresses(text);
  if (invalid.length > 0) {
    const shown = invalid.slice(0, 3).map((one) => `“${one}”`);
    const more = invalid.length > 3 ? ` and ${invalid.length - 3} more` : "";
    return `not an email address: ${shown.join(", ")}${more}`;
  }
  if (addresses.length === 0) return "enter at least one address";
  const over = addresses.length - maxAddresses;
  return over > 0
    ? `invite at most ${maxAddresses} people at a time; you entered ${addresses.length}`
    : null;
}
