/**
 * ACT 0va7u6: text in an image. Reported only for button elements whose file name shows that the
 * text is the point; certain only if the image has the shape of text.
 */
export const textInImage = {
  id: "image-of-text",
  act: ["0va7u6"],
  wcag: ["1.4.9"],
  impact: "minor",
  message: "It is an image of text, which readers can't adjust to their needs",
  *run({ all, shown, name, plain }) {
    for (const element of all("input[type=image][src], button img[src], a[href] img[src]")) {
      const file = /([^/?#]+)\.(?:png|jpe?g|gif|webp)(?:[?#]|$)/i.exec(
        element.getAttribute("src") ?? "",
      );
      const called = plain(file?.[1] ?? "");
      // A drawing of a symbol is named after it: search, close, menu.
      const isButton =
        /(^| )(button|btn)( |\d|$)/.test(called) &&
        !/icon|arrow|play|pause|close|menu|search|cart|up|down|left|right|next|prev|plus|minus/.test(
          called,
        );
      const { width, height } = element.getBoundingClientRect();
      const isLong = width >= 1.5 * height;
      if (isButton && plain(name(element)) !== "" && shown(element)) {
        yield { element, review: !isLong || !element.matches("input") };
      }
    }
  },
};
