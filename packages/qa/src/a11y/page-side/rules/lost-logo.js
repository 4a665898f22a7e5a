/**
 * ACT e88epe: a logo says whose it is. A logo marked as decorative, without text near it, says it
 * to nobody.
 */
export const lostLogo = {
  id: "logo-hidden",
  act: ["e88epe"],
  wcag: ["1.1.1"],
  impact: "serious",
  message: "Its file name says that it is a logo, but its alternative text doesn't",
  needsLayout: true,
  *run({ all, shown, role, parent }) {
    const named = "[aria-label], [aria-labelledby], [title], img:not([alt='']), svg, input, iframe";
    for (const element of all("img[alt=''][src]")) {
      const file = /([^/?#]+)\.(?:png|jpe?g|svg|webp|gif|avif)(?:[?#]|$)/i.exec(
        element.getAttribute("src") ?? "",
      )?.[1];
      if (!file || !/(^|[-_.])logo([-_.]|$)/i.test(file) || !shown(element)) continue;
      if (!/^(none|presentation)$/.test(role(element) ?? "none")) continue;
      if (element.closest("[aria-hidden=true]")) continue;
      // Text or other images near it may say the same.
      let part = parent(element);
      for (let up = 0; up < 3 && part && part.localName !== "body"; up++) {
        const above = parent(part);
        if (!above) break;
        part = above;
      }
      const alone =
        part !== null && !/\S/.test(part.textContent ?? "") && !part.querySelector(named);
      const inNamed = element.closest("[aria-label], [aria-labelledby], [title]");
      // A file name is only a hint.
      if (alone && !inNamed) yield { element, review: true };
    }
  },
};
