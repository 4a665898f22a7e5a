/** The dock's width in px: remembered, between these bounds. */
export const minWidth = 360;
export const maxWidth = 640;
export const defaultWidth = 420;

/** A width within the bounds; what is no number is the default. */
export function clampWidth(width: number): number {
  if (!Number.isFinite(width) || width <= 0) return defaultWidth;
  return Math.round(Math.min(maxWidth, Math.max(minWidth, width)));
}
