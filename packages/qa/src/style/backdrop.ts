import {
  ancestorsOf,
  closest,
  type Element,
  elementsBelow,
  isElement,
  parentOf,
} from "../page/dom.ts";
import { isImage } from "./computed.ts";
import type { ComputedPage } from "./compute-page.ts";
import { isPlaced } from "./overlays.ts";

/** Whether something is placed between these two, so that the background is unknown. */
function isCrossed(computedPage: ComputedPage, chain: readonly Element[]): boolean {
  const [text] = chain;
  for (const element of chain) {
    for (const overlay of computedPage.overlays().get(element) ?? []) {
      if (overlay === null || !contains(overlay, text as Element)) return true;
    }
  }
  const top = chain.at(-1) as Element;
  if (top.name !== "html" && top.name !== "body") return false;
  return (computedPage.overlays().get(null) ?? []).some(
    (overlay) => overlay === null || !contains(overlay, text as Element),
  );
}

function contains(outer: Element, inner: Element): boolean {
  return closest(inner, (at) => at === outer) !== undefined;
}

const areas = ["grid-area", "grid-row", "grid-column"];

/** Whether an element overlaps a sibling: in the same grid cell, or by a negative margin. */
function isLaidOver(computedPage: ComputedPage, element: Element): boolean {
  const own = computedPage.computed.get(element);
  if (!own) return true;
  const margins = ["margin", "margin-top", "margin-left"].map((name) => own.value(name));
  if (margins.some((value) => typeof value === "symbol" || /(?:^|[\s(])-\d/.test(value ?? "")))
    return true;
  const mine = areas.map((name) => own.value(name)).filter((value) => value !== undefined);
  const parent = parentOf(element);
  if (mine.length === 0 || !parent) return false;
  return parent.children.some((sibling) => {
    if (!isElement(sibling) || sibling === element) return false;
    const other = computedPage.computed.get(sibling);
    const painted =
      isImage(sibling) ||
      [...elementsBelow(sibling)].some(isImage) ||
      (other?.background?.a ?? 1) > 0;
    return painted && other && areas.some((name) => other.value(name) !== undefined);
  });
}

/**
 * Whether the background of a text is known: nothing on the page overlaps it in a way that this
 * analysis can't see.
 */
export function isBackdropSure(computedPage: ComputedPage, element: Element): boolean {
  const chain: Element[] = [];
  for (const at of [element, ...ancestorsOf(element)]) {
    const own = computedPage.computed.get(at);
    if (!own) return false;
    chain.push(at);
    if (own.background?.a === 1) break;
    // Placed over something that needn't be one of its ancestors.
    if (isPlaced(own.position)) return false;
    if (isLaidOver(computedPage, at)) return false;
  }
  return !isCrossed(computedPage, chain);
}
