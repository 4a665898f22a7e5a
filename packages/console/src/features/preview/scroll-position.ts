/** A page's scroll position in px, with the heights of the page and the viewport. */
export interface ScrollPosition {
  top: number;
  height: number;
  view: number;
}

/**
 * The equivalent scroll position of another page: the same fraction if both heights are known,
 * otherwise the same offset.
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
