// No part of a pattern runs over the beginning of its next match: of many beginnings each would be
// searched to the end of the text.
const image = /!\[[^[\]]*\]\([^)]*\)/g;
const link = /(?<!!)\[([^[\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const reference = /^[ \t]*\[[^[\]]+\]:.*$/gm;
/** What Markdown makes a link of by itself (GFM, 6.9): with a scheme, with `www.`, and mail. */
const bare =
  /<?(?:\b(?:https?:\/\/|www\.|mailto:)[^\s<>)"']+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>?/gi;
const around = /^<|(?<![<>.,;])[<>.,;]+$/g;

/** Replaces up to the last closing bracket: without one ahead, each opening one is searched for it. */
function replaceLinks(
  text: string,
  pattern: RegExp,
  replace: (whole: string, ...groups: string[]) => string,
): string {
  const end = text.lastIndexOf(")") + 1;
  return text.slice(0, end).replace(pattern, replace) + text.slice(end);
}

/**
 * A text without the images and the addresses that its owner never gave; a link's words stay.
 * @param said all that the owner has said: an address in it may stand in the text
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
