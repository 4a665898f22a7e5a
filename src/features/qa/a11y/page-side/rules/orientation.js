/** ACT b33eff: a page that turns itself back when the device is turned. */
export const orientation = {
  id: "css-orientation-lock",
  act: ["b33eff"],
  wcag: ["1.3.4"],
  impact: "serious",
  message: "It turns by a quarter when the device is turned, so that it can only be used one way",
  needsLayout: true,
  *look({ document, shown }) {
    const found = [];
    const angleOf = ({ style }) => {
      const transform = style.getPropertyValue("transform");
      const rotate = style.getPropertyValue("rotate");
      if (transform === "" && rotate === "") return null;
      const turn = /^(-?[\d.]+)(deg|turn|rad|grad)$/.exec(rotate.replace(/^z\s+/, "").trim());
      const unit = { deg: 1, turn: 360, rad: 180 / Math.PI, grad: 0.9 };
      let angle = turn ? Number(turn[1]) * unit[turn[2]] : 0;
      // Lengths in percent or viewport units are no matter of rotation.
      const plain = transform.replace(/(translate|perspective)\w*\([^)]*\)/g, "").trim();
      if (plain !== "" && plain !== "none") {
        try {
          const { a, b } = new DOMMatrix(plain);
          angle += (Math.atan2(b, a) * 180) / Math.PI;
        } catch {
          return null;
        }
      }
      return angle;
    };
    const wayOf = (media, around) => {
      const named = /\(\s*orientation\s*:\s*(portrait|landscape)\s*\)/i.exec(media)?.[1];
      if (named === undefined || /\bnot\b/i.test(media)) return around;
      const way = named.toLowerCase();
      return around === null || around === way ? way : undefined;
    };
    const walk = (rules, around) => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule) {
          const angle = angleOf(rule);
          if (angle !== null) found.push({ rule, way: around, angle });
        } else if (rule instanceof CSSMediaRule) {
          const way = wayOf(rule.conditionText, around);
          if (way !== undefined) walk(rule.cssRules, way);
        } else if (rule instanceof CSSGroupingRule) walk(rule.cssRules, around);
      }
    };
    for (const sheet of document.styleSheets) {
      try {
        const way = wayOf(sheet.media.mediaText, null);
        if (way !== undefined) walk(sheet.cssRules, way);
      } catch {
        // A stranger's sheet cannot be read.
      }
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
      const hasWords =
        /\S/.test(element.textContent ?? "") || element.querySelector("img, svg, video");
      if (Math.abs(turned - 90) <= 2 && hasWords && shown(element)) yield { element };
    }
  },
};
