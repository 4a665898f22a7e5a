// No part of a pattern matches the beginning of its next match; otherwise, each of many beginnings
// would be searched to the end of the text.
const image = /!\[[^[\]]*\]\([^)]*\)/g;
const link = /(?<!!)\[([^[\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const reference = /^[ \t]*\[[^[\]]+\]:.*$/gm;
/**
 * What Markdown links automatically (GFM, 6.9): addresses with a scheme or `www.`, and email
 * addresses.
 */
const bare =
  /<?(?:\b(?:https?:\/\/|www\.|mailto:)[^\s<>)"']+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>?/gi;
const around = /^<|(?<![<>.,;])[<>.,;]+$/g;

/**
 * Replaces only up to the last closing bracket; otherwise, each opening one would be searched to
 * the end.
 */
function replaceLinks(
  text: string,
  pattern: RegExp,
  replace: (whole: string, ...groups: string[]) => string,
): string {
  const end = text.lastIndexOf(")") + 1;
  return text.slice(0, end).replace(pattern, replace) + text.slice(end);
}

/**
 * Removes images and addresses that the owner never gave from a text; the link text stays.
 * @param said everything the owner has said: addresses in it may stay
 */
export function removeOwnLinks(
  text: string,
  ownerInput: string,
): { text: string; removed: number } {
  let removed = 0;
  const drop = (instead: string): string => {
    removed += 1;
    return instead;
  };
  const isOwnersAddress = (address: string): boolean =>
    ownerInput.includes(address.replace(around, ""));
  const withoutImages = replaceLinks(text, image, () => drop(""));
  const plain = replaceLinks(withoutImages, link, (whole, words = "", address = "") =>
    isOwnersAddress(address) ? whole : drop(words),
  )
    .replace(reference, () => drop(""))
    .replace(bare, (address) => (isOwnersAddress(address) ? address : drop("")))
    .replace(/\n{3,}/g, "\n\n");
  return { text: removed === 0 ? text : plain.trim(), removed };
}
