/**
 * The words on a page, normalized for comparison by rules. Runs inside the page, so it can't use
 * anything outside the function.
 */
export function makeTextTools(document) {
  /** Phrases without information: a call to action, or a file format with its size. */
  const call =
    /^(more|read more|learn more|see more|find out more|click|click here|here|this|link|this link|this page|page|go|details|more info|more information|info|continue|continue reading)$/;
  const format =
    /^(html?|pdf|epub|mobi|azw3?|kindle|txt|plain text|rtf|docx?|word|odt|xlsx?|excel|ods|csv|tsv|pptx?|powerpoint|odp|json|xml|ya?ml|zip|tar gz|png|jpe?g|svg|webp|gif|mp3|mp4|ogg|wav|flac|postscript|latex|bibtex|markdown)( \d+( \d+)? ?([kmg]i?b|bytes))?$/;
  /** Whether a word may be short for another: `asst` for assistive, `msft` for Microsoft. */
  const isShortFor = (short, long) => {
    let at = 0;
    for (const letter of long) if (letter === short.charAt(at)) at++;
    return short !== "" && short.charAt(0) === long.charAt(0) && at >= short.length;
  };
  return {
    /** Whether a link with this text, normalized by `plain`, says nothing about its target. */
    saysNoPurpose: (words) => call.test(words) || format.test(words),
    /** Whether it is only a call to action; a format says at least what opens. */
    isBareCall: (words) => call.test(words),
    isShortFor,
    /** The words of a label or name as spoken; a hyphen can separate two words or be part of one. */
    wordsOf: (text, between = " ") =>
      text
        .normalize("NFKC")
        .toLowerCase()
        // Text in brackets explains and isn't spoken.
        .replace(/\([^)]*\)|\[[^\]]*\]/g, " ")
        .replace(/[‘’']/g, "")
        .replace(/[-‐‑]/g, between)
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    /** Whether people who read a word of a label aloud may still say what the name has. */
    makeSoundsLike({ called, named, seen }) {
      const label = seen.toLowerCase();
      // Also what is in brackets, such as the number of results.
      const written =
        called
          .normalize("NFKC")
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [];
      const initials = named.map((word) => word.charAt(0)).join("");
      const isPart = (word) => word.length > 3 || !/^[\p{Script=Latin}\p{N}]+$/u.test(word);
      return (word) =>
        written.includes(word) ||
        // Scripts without spaces, and compounds.
        named.some((other) => isPart(word) && other.includes(word)) ||
        // Numbers may be spelled.
        (/\p{N}/u.test(word) && !/\p{N}/u.test(called)) ||
        (word.length > 1 && initials.includes(word)) ||
        (label.includes(`${word}.`) && named.some((other) => isShortFor(word, other)));
    },
    texts(element) {
      const walker = document.createTreeWalker(element, 4);
      const found = [];
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (
          /\S/.test(node.data) &&
          !node.parentElement?.matches("script, style, template, noscript")
        ) {
          found.push(node);
        }
      }
      return found;
    },
    plain: (words) =>
      words
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim(),
  };
}
