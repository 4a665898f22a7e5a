/** ACT 24afc2, 9e45ec, and 78fd32: text spacing that users can't increase because of !important. */
export const textSpacing = {
  id: "avoid-inline-spacing",
  act: [],
  wcag: ["1.4.12"],
  impact: "serious",
  message: "Its fixed spacing doesn't let readers increase it",
  needsLayout: true,
  *run({ all, style, shown, texts }) {
    const kinds = [
      { property: "letter-spacing", least: 0.12, act: "24afc2" },
      { property: "word-spacing", least: 0.16, act: "9e45ec" },
      { property: "line-height", least: 1.5, act: "78fd32" },
    ];
    const handedOn = /^(inherit|unset|revert|revert-layer)$/;
    const wraps = (text) => {
      // With preserved line breaks, lines may end where the author chose.
      const { whiteSpaceCollapse = "collapse" } = style(text.parentElement);
      if (whiteSpaceCollapse !== "collapse" && text.data.includes("\n")) return false;
      const range = text.ownerDocument.createRange();
      range.selectNodeContents(text);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return tops.size > 1;
    };
    const blockOf = (text) => {
      let at = text.parentElement;
      while (at && style(at).display === "inline") at = at.parentElement;
      return at;
    };
    /** Whether the following text is on another line without a break by the author. */
    const breaksBefore = (next, text) => {
      if (!next || blockOf(next) !== blockOf(text)) return false;
      const range = text.ownerDocument.createRange();
      range.selectNodeContents(text);
      const last = [...range.getClientRects()].at(-1);
      range.selectNodeContents(next);
      const [first] = range.getClientRects();
      range.setStartAfter(text);
      range.setEndBefore(next);
      const forced = range.cloneContents().querySelector("br") !== null;
      return Boolean(last && first) && !forced && first.left < last.right && first.top > last.top;
    };
    for (const element of all("[style*='important' i]")) {
      if (!(element instanceof HTMLElement)) continue;
      for (const { property, least, act } of kinds) {
        const declared = element.style.getPropertyValue(property).trim().toLowerCase();
        if (element.style.getPropertyPriority(property) !== "important") continue;
        if (declared === "" || handedOn.test(declared)) continue;
        // Text below with its own spacing isn't affected.
        const ratioOf = (at) => {
          const own = Number.parseFloat(style(at).getPropertyValue(property));
          // `normal` adds nothing between letters and words, and is about 1.2 times the font size
          // for lines.
          const usual = property === "line-height" ? 1.2 : 0;
          return Number.isNaN(own) ? usual : own / Number.parseFloat(style(at).fontSize);
        };
        const has = style(element).getPropertyValue(property);
        const isHeld = (at) =>
          at === element ||
          style(at).getPropertyValue(property) === has ||
          (property === "line-height" && Math.abs(ratioOf(at) - ratioOf(element)) < 0.001);
        const held = texts(element).filter((text, index, every) => {
          const at = text.parentElement;
          if (!at || !shown(at) || !isHeld(at)) return false;
          return (
            ratioOf(at) < least - 0.0001 &&
            (property !== "line-height" || wraps(text) || breaksBefore(every[index + 1], text))
          );
        });
        if (held.length > 0) yield { element, rule: property, act: [act] };
      }
    }
  },
};
