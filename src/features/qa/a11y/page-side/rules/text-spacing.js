/** ACT 24afc2, 9e45ec and 78fd32: spacing that readers cannot widen, because a style says !important. */
export const textSpacing = {
  id: "avoid-inline-spacing",
  act: [],
  wcag: ["1.4.12"],
  impact: "serious",
  message: "Its spacing is nailed down too narrow for readers who widen it",
  needsLayout: true,
  *look({ all, style, shown, texts }) {
    const kinds = [
      { property: "letter-spacing", least: 0.12, act: "24afc2" },
      { property: "word-spacing", least: 0.16, act: "9e45ec" },
      { property: "line-height", least: 1.5, act: "78fd32" },
    ];
    const wide = /^(inherit|initial|unset|revert|revert-layer)$/;
    const wraps = (text) => {
      const range = text.ownerDocument.createRange();
      range.selectNodeContents(text);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return tops.size > 1;
    };
    for (const element of all("[style*='important' i]")) {
      if (!(element instanceof HTMLElement)) continue;
      for (const { property, least, act } of kinds) {
        const declared = element.style.getPropertyValue(property).trim().toLowerCase();
        if (element.style.getPropertyPriority(property) !== "important") continue;
        if (declared === "" || wide.test(declared)) continue;
        const has = Number.parseFloat(style(element).getPropertyValue(property)) || 0;
        const size = Number.parseFloat(style(element).fontSize);
        // `normal` is about 1.2 of the letters' size, whatever the font.
        const ratio = declared === "normal" && property === "line-height" ? 1.2 : has / size;
        if (ratio >= least - 0.0001) continue;
        // Text below that has a spacing of its own is not held by this one.
        const held = texts(element).filter((text) => {
          const at = text.parentElement;
          if (!at || !shown(at)) return false;
          const own = Number.parseFloat(style(at).getPropertyValue(property)) || 0;
          const same = at === element || Math.abs(own - has) < 0.01;
          return same && (property !== "line-height" || wraps(text));
        });
        if (held.length > 0) yield { element, rule: property, act: [act] };
      }
    }
  },
};
