/** The most addresses that are invited at once; the server looks again. */
export const maxAddresses = 50;

export interface ParsedAddresses {
  /** In small letters, each once, in their order. */
  addresses: string[];
  /** What is no address, as it stands in the text. */
  invalid: string[];
}

/** Near enough to catch what was pasted by mistake; the server's rule is the one that counts. */
const shape = /^[^\s@<>,;"()[\]]+@[^\s@<>,;"()[\]]+\.[^\s@<>,;"()[\]]+$/;

/**
 * The addresses in a text as people paste it: lines, commas, semicolons or spaces between them, and
 * names around them, `Ada Lovelace <ada@example.com>`.
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

/** What is wrong with a text of addresses; null when they can be invited. */
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
