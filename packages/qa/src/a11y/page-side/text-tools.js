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
  return {
    /** Whether a link with this text, normalized by `plain`, says nothing about its target. */
    saysNoPurpose: (words) => call.test(words) || format.test(words),
    /** Whether it is only a call to action; a format says at least what opens. */
    isBareCall: (words) => call.test(words),
    /** Whether a word may be short for another: `asst` for assistive, `msft` for Microsoft. */
    isShortFor(short, long) {
      if (short === "" || short.charAt(0) !== long.charAt(0)) return false;
      let at = 0;
      for (const letter of long) if (letter === short.charAt(at)) at++;
      return at >= short.length;
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
