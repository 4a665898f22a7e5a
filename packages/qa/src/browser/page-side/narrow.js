/* What does not fit on a narrow screen. */
import { measureImages } from "./images.js";
import { frames, isSeen, place, wordsOf } from "./place.js";

const needsWidth = "table, pre, iframe, canvas, object, embed, math, [role=grid], [role=table]";

/** Whether an element contains its overflow: it scrolls or clips. */
const keepsInside = (style) =>
  style.overflowX !== "visible" || /paint|strict|content/.test(style.contain);

/** The viewport's overflow: from the root, otherwise the body (CSS overflow 3, 3.3). */
const windowOverflow = () => {
  const root = getComputedStyle(document.documentElement).overflowX;
  if (root !== "visible" || !document.body) return root;
  return getComputedStyle(document.body).overflowX;
};

const needsTwoDimensions = (element, width) => {
  if (element.closest(needsWidth)) return true;
  return [...element.querySelectorAll(needsWidth)].some(
    (inner) => inner.getBoundingClientRect().width > width,
  );
};

const readOffenders = (width) => {
  const backwards = getComputedStyle(document.documentElement).direction === "rtl";
  const boxEnd = (rect) => (backwards ? width - rect.left : rect.right);
  const extent = (element, rect) => {
    const inner = Math.max(element.scrollWidth ?? 0, 0) + (element.clientLeft ?? 0);
    return Math.max(boxEnd(rect), backwards ? width - rect.right + inner : rect.left + inner);
  };
  const found = [];
  const visit = (element, depth) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.position === "fixed") return false;
    const rect = element.getBoundingClientRect();
    const boxed = element !== document.body && keepsInside(style);
    const end = boxed ? boxEnd(rect) : extent(element, rect);
    const flat = style.display === "contents";
    if (!flat && end <= width + 1 && !(element === document.body)) {
      // Inline boxes and floats say nothing about positioned descendants.
      if (boxed || style.display !== "inline") return false;
    }
    const sticks = !flat && boxEnd(rect) > width + 1;
    if (sticks) {
      if (!isSeen(element)) return false;
      found.push({ element, right: Math.round(boxEnd(rect)) });
      return true;
    }
    if (boxed || depth > 200 || found.length >= 20) return false;
    let deeper = false;
    for (const child of element.children) deeper = visit(child, depth + 1) || deeper;
    if (deeper || flat || end <= width + 1 || !hasOwnText(element)) return deeper;
    if (!isSeen(element)) return false;
    found.push({ element, right: Math.round(end) });
    return true;
  };
  if (document.body) visit(document.body, 0);
  return found
    .toSorted((a, b) => b.right - a.right)
    .slice(0, 10)
    .map(({ element, right }) =>
      Object.assign(place(element), {
        right,
        wide: needsTwoDimensions(element, width),
        top: Math.round(element.getBoundingClientRect().top + scrollY),
      }),
    );
};

const hasOwnText = (element) =>
  [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");

/** Lines of text that a box's lower edge cuts or hides. */
const cutsText = (element) => {
  const rect = element.getBoundingClientRect();
  const edge = rect.top + element.clientTop + element.clientHeight;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = texts.nextNode(), count = 0; node && count < 80; node = texts.nextNode()) {
    if (node.data.trim() === "" || !node.parentElement || !isSeen(node.parentElement)) continue;
    count += 1;
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter(
      ({ width, height }) => width > 2 && height > 4,
    );
    // Content that starts below the edge may be meant to be hidden.
    if (!lines.some(({ top, height }) => top + height / 2 < edge)) continue;
    if (lines.some(({ bottom, height }) => bottom > edge + height * 0.35)) return true;
  }
  return false;
};

const isClipping = (element) => {
  if (element === document.body || element.scrollHeight <= element.clientHeight + 4) return false;
  if (element.clientHeight < 8 || element.clientWidth < 8) return false;
  const style = getComputedStyle(element);
  if (style.overflowY !== "hidden" && style.overflowY !== "clip") return false;
  // Clipped deliberately, with an ellipsis.
  if (style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none") return false;
  return isSeen(element) && cutsText(element);
};

let clippedWide = new Set();

const findClipped = () =>
  [...(document.body?.querySelectorAll("*") ?? [])].slice(0, 8000).filter(isClipping);

export const noteClipped = () => {
  clippedWide = new Set(findClipped());
};

/** Waits until the page has reacted to its new width, including deferred work. */
const relaid = async (asked) => {
  for (let tries = 0; tries < 30; tries += 1) {
    await frames(1);
    if (innerWidth === asked) break;
  }
  await new Promise((resolve) => setTimeout(resolve));
};

export const readNarrow = async (asked) => {
  await relaid(asked);
  const width = document.documentElement.clientWidth;
  const { scrollWidth } = document.scrollingElement ?? document.documentElement;
  const still = /hidden|clip/.test(windowOverflow());
  measureImages();
  return {
    scrollWidth: still ? Math.min(scrollWidth, width) : scrollWidth,
    clientWidth: width,
    offenders: !still && scrollWidth > width + 1 ? readOffenders(width) : [],
    clipped: findClipped()
      .filter((element) => !clippedWide.has(element))
      .slice(0, 20)
      .map((element) =>
        Object.assign(place(element), {
          scrollHeight: element.scrollHeight,
          clientHeight: element.clientHeight,
          text: wordsOf(element, 80),
        }),
      ),
  };
};
