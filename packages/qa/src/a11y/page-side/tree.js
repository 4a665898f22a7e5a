/**
 * The page as it is gone through: slots filled, hidden parts left out, with the stops of the Tab key
 * and the words that are heard. Runs inside the page: it may use nothing from around it.
 */
export function makeTree(axe) {
  const parentOf = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const childrenOf = (element) => {
    if (element.shadowRoot) return Array.from(element.shadowRoot.childNodes);
    const filled = element.localName === "slot" ? (element.assignedNodes?.() ?? []) : [];
    return filled.length > 0 ? filled : Array.from(element.childNodes);
  };
  /** All elements below one, as they are shown. */
  function* inside(element) {
    for (const child of childrenOf(element)) {
      if (child.nodeType !== 1) continue;
      yield child;
      yield* inside(child);
    }
  }
  /** Without a browser, axe tells from the styles alone. */
  const rendered = (element) =>
    element.checkVisibility
      ? element.checkVisibility({ visibilityProperty: true })
      : axe.commons.dom.isVisibleOnScreen(element);
  const isInert = (element) => {
    for (let at = element; at; at = parentOf(at)) if (at.hasAttribute("inert")) return true;
    return false;
  };
  /** Whether it is of a kind that takes the keyboard by itself. */
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
  /** An area is drawn by the image that uses its map. */
  const drawnBy = (element) => {
    if (element.localName !== "area") return element;
    const map = element.closest("map")?.getAttribute("name");
    const images = Array.from(element.ownerDocument.querySelectorAll("img[usemap]"));
    return images.find((image) => image.getAttribute("usemap") === `#${map}`) ?? element;
  };
  /** Whether the Tab key stops at it. */
  const tabStop = (element) => {
    const given = /^\s*[-+]?\d+/.exec(element.getAttribute("tabindex") ?? "")?.[0];
    if (given !== undefined && Number(given) < 0) return false;
    if (element.matches(":disabled")) return false;
    const stops = given !== undefined || isStopByNature(element);
    return stops && rendered(drawnBy(element)) && !isInert(element);
  };
  /** The stops in a frame of the same origin; a stranger's are not ours to see. */
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
