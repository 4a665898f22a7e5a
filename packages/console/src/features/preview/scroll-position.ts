/** Where the page is scrolled to, in px: with the height of the page and of what shows of it. */
export interface ScrollPosition {
  top: number;
  height: number;
  view: number;
}

/**
 * Where a page comes to stand as far down as another one: at the same share of the way when that
 * one's height and view are known, else at the same place.
 */
export function scrollPositionFor(
  wanted: { top: number; height?: number; view?: number },
  own: { height: number; view: number },
): number {
  const way = Math.max(0, own.height - own.view);
  const { top, height, view } = wanted;
  if (height === undefined || view === undefined) return Math.min(Math.max(0, top), way);
  const other = height - view;
  return other <= 0 ? 0 : Math.min(1, Math.max(0, top / other)) * way;
}
