/**
 * Tells icons from words: an icon font draws a word as one symbol. Runs inside the page, so it can't
 * use anything outside the function.
 */
export function makeGlyphs({ style }) {
  const isSymbolName = (name) => /(^|[\s_-])(symbols?|glyphs?|glyphicons?)([\s_-]|$)/i.test(name);
  /** Whether all letters together are about as wide as one symbol, which each gets a part of. */
  const isDrawnAsOne = (node) => {
    const letters = node.data.trim();
    if (!/^[\p{L}\p{N}_]{3,40}$/u.test(letters) || new Set(letters).size < 2) return false;
    const range = node.ownerDocument.createRange();
    const start = node.data.indexOf(letters);
    const widthOf = (from, to) => {
      range.setStart(node, start + from);
      range.setEnd(node, start + to);
      return range.getBoundingClientRect().width;
    };
    const size = Number.parseFloat(style(node.parentElement).fontSize);
    const width = widthOf(0, letters.length);
    if (width < size * 0.85 || width > size * 1.3) return false;
    const widths = Array.from(letters, (_, at) => widthOf(at, at + 1));
    return Math.max(...widths) - Math.min(...widths) < size * 0.02;
  };
  return {
    /** Whether a text is the name of an icon, also while the icon's font isn't loaded. */
    isGlyph(node) {
      const { parentElement: at } = node;
      const [font = ""] = style(at).fontFamily.split(",");
      const named = at.getAttribute("class") ?? "";
      if (/icon/i.test(style(at).fontFamily) || /\bicons?\b/i.test(named)) return true;
      // Words can be in such a font, too, but icons have names like `arrow_back`.
      const isName = /^\s*[a-z][a-z\d_]*\s*$/.test(node.data);
      return (
        (isName && [font.replace(/["']/g, ""), named].some(isSymbolName)) || isDrawnAsOne(node)
      );
    },
  };
}
