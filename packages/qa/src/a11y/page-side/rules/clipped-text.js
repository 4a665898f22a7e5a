/** ACT 59br37: text that would be cut off at twice its size, without a way to see the rest. */
export const clippedText = {
  id: "clipped-on-zoom",
  act: ["59br37"],
  wcag: ["1.4.4"],
  impact: "moderate",
  message: "Its box clips the text when the text is enlarged",
  needsLayout: true,
  *run({ all, style, shown, texts, exposed }) {
    /** A button after the box shows the rest. */
    const isOpenedBeside = (element) =>
      [element, element.parentElement].some((at) => {
        const next = at?.nextElementSibling;
        const toggles = "button[aria-expanded], a[aria-expanded], [role=button][aria-expanded]";
        return next?.matches(toggles) || (next && next.querySelector(toggles) !== null);
      });
    for (const element of all("body *")) {
      const of = style(element);
      const hidesY = /^(hidden|clip)$/.test(of.overflowY);
      const hidesX = /^(hidden|clip)$/.test(of.overflowX);
      if ((!hidesX && !hidesY) || !shown(element) || !exposed(element)) continue;
      const box = element.getBoundingClientRect();
      // Excludes content hidden on purpose, and text limited to some lines.
      if (box.width <= 2 || box.height <= 2 || of.webkitLineClamp !== "none") continue;
      if (of.clipPath !== "none" || of.position === "absolute" || of.position === "fixed") continue;
      const own = texts(element).filter(({ parentElement: at }) => at && shown(at));
      if (own.length === 0 || element.querySelector("img, svg, video, canvas, iframe, input"))
        continue;
      // Text that is already cut off: more than the rest of a line is missing.
      const line = Number.parseFloat(of.lineHeight) || Number.parseFloat(of.fontSize) * 1.2;
      // Less than a line is no text that is cut off: the box is closed, such as a submenu.
      if (hidesY && element.clientHeight < line * 0.8) continue;
      const goneY = hidesY && element.scrollHeight - element.clientHeight > line * 0.5;
      const goneX =
        hidesX &&
        of.textOverflow !== "ellipsis" &&
        element.scrollWidth - element.clientWidth > line * 2;
      // With white-space: nowrap, a box as high as its line cuts off nothing more at a higher zoom.
      const clips =
        of.whiteSpaceCollapse !== undefined && of.textWrapMode === "nowrap"
          ? goneX && box.width < 200
          : goneY;
      if (!clips) continue;
      // Content that opens or moves is shown in another way.
      const moves = element.closest(
        "details, [aria-expanded], [aria-hidden=true], [role=marquee], marquee, button, [class*=carousel], [class*=slider], [class*=collapse], [class*=accordion]",
      );
      if (
        !moves &&
        !isOpenedBeside(element) &&
        of.animationName === "none" &&
        of.transitionDuration === "0s"
      )
        yield { element };
    }
  },
};
