/** ACT e88epe: an image with meaning isn't hidden from assistive technology. */
export const hiddenImage = {
  id: "image-hidden-with-name",
  act: ["e88epe"],
  wcag: ["1.1.1"],
  impact: "serious",
  message: "It is hidden from assistive technology but has an alternative text",
  *run({ all, shown, role, exposed }) {
    for (const element of all("img, svg")) {
      const alt = (element.getAttribute("alt") ?? "").trim();
      const label = (element.getAttribute("aria-label") ?? "").trim();
      const title =
        element.localName === "svg"
          ? (element.querySelector(":scope > title")?.textContent ?? "").trim()
          : "";
      const words = [alt, label, title].find((text) => text.length > 1);
      if (!words || !shown(element)) continue;
      const is = role(element);
      const isNone = (is === "none" || is === "presentation") && element.hasAttribute("role");
      if (!isNone && exposed(element)) continue;
      // Next to the same text, or in an element with its own name, it is redundant.
      const around =
        element.closest("a, button, figure, [aria-label], li, p") ?? element.parentElement;
      const repeats = (around?.textContent ?? "").toLowerCase().includes(words.toLowerCase());
      const wholeHidden =
        element.closest("[aria-hidden=true]") !== element && element.closest("[aria-hidden=true]");
      // The text may be a leftover, or the image's whole meaning: the page doesn't tell.
      if (!repeats && !wholeHidden && !around?.matches("[aria-label]"))
        yield { element, review: true };
    }
  },
};
