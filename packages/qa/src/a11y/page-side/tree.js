/**
 * The page's tree: with slots filled and hidden parts left out, focusable elements, and spoken
 * text. Runs inside the page, so it can't use anything outside the function.
 */
export function makeTree(axe) {
  const parentOf = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const childrenOf = (element) => {
    if (element.shadowRoot) return Array.from(element.shadowRoot.childNodes);
    const filled = element.localName === "slot" ? (element.assignedNodes?.() ?? []) : [];
    return filled.length > 0 ? filled : Array.from(element.childNodes);
  };
  /** All elements below one, as rendered. */
  function* inside(element) {
    for (const child of childrenOf(element)) {
      if (child.nodeType !== 1) continue;
      yield child;
      yield* inside(child);
    }
  }
  /** Without a browser, axe decides by styles alone. */
  const rendered = (element) =>
    element.checkVisibility
      ? element.checkVisibility({ visibilityProperty: true })
      : axe.commons.dom.isVisibleOnScreen(element);
  const isInert = (element) => {
    for (let at = element; at; at = parentOf(at)) if (at.hasAttribute("inert")) return true;
    return false;
  };
  /** Whether it is of a natively focusable kind. */
  const isStopByNature = (element) => {
    if (element.localName === "iframe") return [...stopsIn(element)].length > 0;
    if (element.localName === "summary") {
      const details = element.parentElement;
      return details?.localName === "details" && details.querySelector("summary") === element;
    }
    return element.matches(
      "a[href], a[*|href], area[href], button, input:not([type=hidden i]), select, textarea, audio[controls], video[controls], [contenteditable=''], [contenteditable=true i], [contenteditable=plaintext-only i]",
    );
  };
  /** An area is rendered by the image that uses its map. */
  const drawnBy = (element) => {
    if (element.localName !== "area") return element;
    const map = element.closest("map")?.getAttribute("name");
    const images = Array.from(element.ownerDocument.querySelectorAll("img[usemap]"));
    return images.find((image) => image.getAttribute("usemap") === `#${map}`) ?? element;
  };
  /** Whether the Tab key reaches it. */
  const tabStop = (element) => {
    const given = /^\s*[-+]?\d+/.exec(element.getAttribute("tabindex") ?? "")?.[0];
    if (given !== undefined && Number(given) < 0) return false;
    if (element.matches(":disabled")) return false;
    const stops = given !== undefined || isStopByNature(element);
    return stops && rendered(drawnBy(element)) && !isInert(element);
  };
  /** The stops in a frame of the same origin; others aren't accessible. */
  function* stopsIn(frame) {
    let root = null;
    try {
      root = frame.contentDocument?.documentElement ?? null;
    } catch {
      return;
    }
    if (root) for (const element of inside(root)) if (tabStop(element)) yield element;
  }
  return { childrenOf, inside, rendered, tabStop, stopsIn };
}
