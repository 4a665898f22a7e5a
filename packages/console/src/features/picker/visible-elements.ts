/** The visible part of a page, in px. */
export interface DocumentView {
  /** Its left edge: below 0 in a right-to-left page. */
  left: number;
  scrollX: number;
  scrollY: number;
  viewWidth: number;
  viewHeight: number;
}

type Box = Pick<DOMRectReadOnly, "left" | "top" | "right" | "bottom" | "width" | "height">;
type ClipStyle = Pick<CSSStyleDeclaration, "position" | "clip" | "clipPath">;

/** Clipped to nothing: `rect(0, 0, 0, 0)`, `rect(1px, 1px, 1px, 1px)`, `inset(50%)`. */
const clippedAway =
  /^rect\((?:0(?:px)?|1px)(?:,? (?:0(?:px)?|1px)){3}\)$|^inset\((?:[5-9]\d|100)(?:\.\d+)?%\)$/;

/**
 * Whether scrolling can make a box visible. Content only for screen readers is clipped to nothing,
 * and skip links are outside the edge where nothing scrolls. Farther on, a part of the page may
 * scroll to it.
 */
export function isReachable(box: Box, look: ClipStyle, sheet: DocumentView): boolean {
  if (box.width <= 0 || box.height <= 0 || (box.width <= 1 && box.height <= 1)) return false;
  if (clippedAway.test(look.clip) || clippedAway.test(look.clipPath)) return false;
  // Scrolling never brings fixed elements closer.
  const { scrollX: x, scrollY: y, left, viewWidth, viewHeight } = sheet;
  return look.position === "fixed"
    ? box.right > 0 && box.bottom > 0 && box.left < viewWidth && box.top < viewHeight
    : box.right + x > left && box.bottom + y > 0;
}

function sheetOf({ documentElement: root }: Document): DocumentView {
  return {
    left: getComputedStyle(root).direction === "rtl" ? root.clientWidth - root.scrollWidth : 0,
    scrollX,
    scrollY,
    viewWidth: root.clientWidth,
    viewHeight: root.clientHeight,
  };
}

/** Whether an element of this page is visible, now or after scrolling. */
export function isVisible(element: Element): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true }) &&
    isReachable(
      element.getBoundingClientRect(),
      getComputedStyle(element),
      sheetOf(element.ownerDocument),
    )
  );
}
