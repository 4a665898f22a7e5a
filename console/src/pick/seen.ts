/** Where a page ends, and where the part of it that shows lies in it, in px. */
export interface Sheet {
  width: number;
  height: number;
  scrollX: number;
  scrollY: number;
  viewWidth: number;
  viewHeight: number;
}

type Box = Pick<DOMRectReadOnly, "left" | "top" | "right" | "bottom" | "width" | "height">;
type Look = Pick<CSSStyleDeclaration, "position" | "clip" | "clipPath">;

/** Nothing is left of it: `rect(0, 0, 0, 0)`, `rect(1px, 1px, 1px, 1px)`, `inset(50%)`. */
const clippedAway =
  /^rect\((?:0(?:px)?|1px)(?:,? (?:0(?:px)?|1px)){3}\)$|^inset\((?:[5-9]\d|100)(?:\.\d+)?%\)$/;

/**
 * Whether a box shows at some place of its page that one can scroll to: what is there for screen
 * readers alone is clipped to nothing, and what waits for the focus is moved over the edge.
 */
export function isInSight(box: Box, look: Look, sheet: Sheet): boolean {
  if (box.width <= 0 || box.height <= 0 || (box.width <= 1 && box.height <= 1)) return false;
  if (clippedAway.test(look.clip) || clippedAway.test(look.clipPath)) return false;
  // What is fixed never comes nearer by scrolling.
  const fixed = look.position === "fixed";
  const [x, y] = fixed ? [0, 0] : [sheet.scrollX, sheet.scrollY];
  const width = fixed ? sheet.viewWidth : sheet.width;
  const height = fixed ? sheet.viewHeight : sheet.height;
  return box.right + x > 0 && box.bottom + y > 0 && box.left + x < width && box.top + y < height;
}

function sheetOf({ documentElement: root }: Document): Sheet {
  return {
    width: root.scrollWidth,
    height: root.scrollHeight,
    scrollX,
    scrollY,
    viewWidth: root.clientWidth,
    viewHeight: root.clientHeight,
  };
}

/** Whether an element of this page can be seen, here or where the page can be scrolled to. */
export function isSeen(element: Element): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true }) &&
    isInSight(
      element.getBoundingClientRect(),
      getComputedStyle(element),
      sheetOf(element.ownerDocument),
    )
  );
}
