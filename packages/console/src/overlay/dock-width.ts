/** The dock's width in px: remembered, within these limits. */
export const minWidth = 360;
export const maxWidth = 640;
export const defaultWidth = 420;

/** A width within the limits; the default if it isn't a number. */
export function clampWidth(width: number): number {
  if (!Number.isFinite(width) || width <= 0) return defaultWidth;
  return Math.round(Math.min(maxWidth, Math.max(minWidth, width)));
}
