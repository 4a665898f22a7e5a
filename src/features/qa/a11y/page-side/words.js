/** The words on a page, as rules compare them. Runs inside the page: it may use nothing from around it. */
export function makeWords(document) {
  return {
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
