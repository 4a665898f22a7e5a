/**
 * How elements look when they have the keyboard focus. Runs inside the page, so it can't use
 * anything outside the function.
 */
export function makeFocus(document) {
  const looks =
    "color background-color background-image background-position background-size border-top-color border-top-style border-top-width border-bottom-color border-bottom-style border-bottom-width border-left-color border-left-width border-right-width box-shadow text-decoration-line text-decoration-color text-decoration-style text-decoration-thickness text-underline-offset text-shadow font-weight font-style font-size letter-spacing opacity transform scale translate rotate filter backdrop-filter clip-path visibility display width height top left padding-left padding-top margin-left content fill stroke stroke-width z-index";
  const properties = looks.split(" ");
  const hasRing = (style) =>
    style.outlineStyle !== "none" &&
    style.outlineWidth !== "0px" &&
    !/^rgba\(.*, 0\)$/.test(style.outlineColor);
  const pictureOf = (elements) =>
    elements
      .flatMap((element) =>
        [null, "::before", "::after"].map((pseudo) => {
          const style = getComputedStyle(element, pseudo);
          if (pseudo !== null && style.content === "none") return "";
          // An invisible outline doesn't count.
          const ring = hasRing(style) ? style.outline : "";
          return `${properties.map((property) => style.getPropertyValue(property)).join("|")}${ring}`;
        }),
      )
      .join("\n");
  const around = (element) => {
    const found = [element, ...[...element.querySelectorAll("*")].slice(0, 24)];
    const { previousElementSibling: before, nextElementSibling: after } = element;
    for (const beside of [before, after]) if (beside) found.push(beside);
    for (let at = element.parentElement; at && found.length < 36; at = at.parentElement) {
      found.push(at);
    }
    return found;
  };
  const watch = new MutationObserver(() => undefined);

  return {
    /**
     * Whether an element changes visibly when it gets the focus; the focus is removed afterwards.
     */
    showsFocus(element) {
      const parts = around(element);
      const plain = pictureOf(parts);
      const moving = document.getAnimations().length;
      watch.observe(document, { subtree: true, childList: true, attributes: true });
      element.focus({ focusVisible: true, preventScroll: true });
      const shows =
        !element.matches(":focus") ||
        hasRing(getComputedStyle(element)) ||
        watch.takeRecords().length > 0 ||
        document.getAnimations().length !== moving ||
        pictureOf(parts) !== plain;
      watch.disconnect();
      element.blur();
      return shows;
    },
  };
}
