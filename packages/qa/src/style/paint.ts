import { compositeOver, type Rgba } from "./color.ts";
import type { Computed } from "./computed.ts";
import { isPlaced } from "./overlays.ts";

/** The color of the page's canvas: white, or Chromium's dark gray. */
function canvasOf(root: Computed | undefined): Rgba | null {
  if (!root || root.scheme === null) return null;
  return root.scheme === "dark" ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 };
}

export interface Colors {
  front: Rgba;
  back: Rgba;
}

const painted = new WeakMap<Computed, Colors | null>();

/** The colors of text and background as rendered; null if unknown. */
export function colorsOf(own: Computed): Colors | null {
  const known = painted.get(own);
  if (known !== undefined) return known;
  const colors = paint(own);
  painted.set(own, colors);
  return colors;
}

function paint(own: Computed): Colors | null {
  const color = own.fill === undefined ? own.color : own.fill;
  const chain: Computed[] = [];
  for (let at: Computed | null = own; at; at = at.parent) chain.push(at);
  if (!color || own.shadow) return null;
  if (chain.some(({ effects, opacity }) => effects || opacity === null)) return null;
  const translucent = chain.some(({ opacity }) => opacity !== 1);
  for (const { background, image, position } of chain) {
    if (background === null || image !== false) return null;
    // Behind a translucent layer, the background has to be known, too.
    if (background.a === 1 && !translucent) break;
    // The background of a box outside the normal flow isn't that of its parent.
    if (position === null || isPlaced(position)) return null;
  }
  let back = canvasOf(chain.at(-1));
  if (!back) return null;
  const groups: { opacity: number; backdrop: Rgba }[] = [];
  for (const { opacity, background } of chain.toReversed()) {
    if (opacity !== null && opacity < 1) groups.push({ opacity, backdrop: back });
    if (background) back = compositeOver(background, back);
  }
  let front = compositeOver(color, back);
  for (const { opacity, backdrop } of groups.toReversed()) {
    front = compositeOver({ ...front, a: opacity }, backdrop);
    back = compositeOver({ ...back, a: opacity }, backdrop);
  }
  return { front, back };
}
