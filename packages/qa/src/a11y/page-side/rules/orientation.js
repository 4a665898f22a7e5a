/** ACT b33eff: a page that undoes the device's rotation. */
export const orientation = {
  id: "css-orientation-lock",
  act: ["b33eff"],
  wcag: ["1.3.4"],
  impact: "serious",
  message: "It rotates with the device, so it can be used in only one orientation",
  needsLayout: true,
  *run({ document, shown, texts, angleOf, wayOf }) {
    const found = [];
    const walk = (rules, around) => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule) {
          const angle = angleOf(rule);
          if (angle !== null) found.push({ rule, way: around, angle });
        } else if (rule instanceof CSSMediaRule) {
          const way = wayOf(rule.conditionText, around);
          if (way !== undefined) walk(rule.cssRules, way);
        } else if (rule instanceof CSSImportRule) {
          const way = wayOf(rule.media.mediaText, around);
          if (way !== undefined) walkSheet(rule.styleSheet, way);
        } else if (rule instanceof CSSGroupingRule) walk(rule.cssRules, around);
      }
    };
    const walkSheet = (sheet, way) => {
      try {
        walk(sheet.cssRules, way);
      } catch {
        // A style sheet from another origin can't be read.
      }
    };
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      const way = wayOf(sheet.media.mediaText, null);
      if (way !== undefined) walkSheet(sheet, way);
    }
    const elements = new Set();
    for (const { rule, way } of found) {
      if (way === null) continue;
      for (const element of document.querySelectorAll(rule.selectorText)) elements.add(element);
    }
    for (const element of elements) {
      const angleIn = (way) =>
        found.findLast(
          (one) => (one.way === null || one.way === way) && element.matches(one.rule.selectorText),
        )?.angle ?? 0;
      const turned = Math.abs(angleIn("portrait") - angleIn("landscape")) % 180;
      // An arrow may turn with the way that it points to; nobody has to read it.
      const isBig = (media) => {
        const { width, height } = media.getBoundingClientRect();
        return Math.max(width, height) > 48;
      };
      const hasWords =
        texts(element).some(
          ({ data, parentElement: at }) => /[\p{L}\p{N}]/u.test(data) && shown(at),
        ) || [...element.querySelectorAll("img, svg, video")].some(isBig);
      if (Math.abs(turned - 90) <= 2 && hasWords && shown(element)) yield { element };
    }
  },
};
