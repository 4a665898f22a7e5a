/* Tap targets that are too small (WCAG 2.2, 2.5.8). */
import { isSeen, place, shownBox, wordsOf } from "./place.js";

const clickable =
  "a[href], button, summary, select, input:not([type=hidden]), textarea, [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], [role=option], [role=slider], [onclick]";

const union = (a, b) => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
});

/** Everything that can be tapped for the same effect: its content, and the labels of a field. */
export const tappableBox = (element) => {
  let box = element.getBoundingClientRect();
  for (const inner of element.querySelectorAll("*")) {
    const rect = inner.getBoundingClientRect();
    if (rect.width > 0 && rect.height > 0) box = union(box, rect);
  }
  for (const label of element.labels ?? []) box = union(box, label.getBoundingClientRect());
  return shownBox(element, box);
};

/** In a line of text, so its height is given. */
const isInText = (element) => {
  if (!/^(?:inline|inline-block)$/.test(getComputedStyle(element).display)) return false;
  let around = element.parentElement;
  while (around && getComputedStyle(around).display.startsWith("inline"))
    around = around.parentElement;
  if (!around) return false;
  const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(), count = 0; node && count < 200; node = texts.nextNode()) {
    count += 1;
    if (!/[\p{L}\p{N}]{2}/u.test(node.data)) continue;
    if (!node.parentElement?.closest(clickable)) return true;
  }
  return false;
};

/** The borders that only browsers give to controls. */
const nativeBorders = { button: /^outset/, input: /^(?:in|out)set/, textarea: /^inset/ };

/** Rendered natively, so its size isn't the author's choice (2.5.8, "user agent control"). */
const isNative = (element) => {
  const { appearance, borderTopStyle, borderTopColor } = getComputedStyle(element);
  if (appearance === "none") return false;
  const { localName: name, type } = element;
  if (name === "input" && /^(?:checkbox|radio|range|color|file)$/.test(type)) return true;
  if (name === "select") return borderTopColor === "rgb(118, 118, 118)";
  return nativeBorders[name]?.test(borderTopStyle) === true;
};

const distanceToBox = (x, y, box) =>
  Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));

export const readTargets = () => {
  const targets = [];
  for (const element of document.querySelectorAll(clickable)) {
    if (targets.length >= 600) break;
    if (element.matches(":disabled, [aria-disabled=true]") || element.closest("[inert]")) continue;
    // A nested target belongs to the outer one.
    if (!isSeen(element) || element.parentElement?.closest("a[href], button, summary")) continue;
    if (getComputedStyle(element).pointerEvents === "none") continue;
    const box = tappableBox(element);
    if (!box) continue;
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const center = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    targets.push({ element, box, width, height, ...center, small: width < 23.5 || height < 23.5 });
  }
  // A circle of 24 px around a small target must touch no other target or circle. Tolerates one
  // pixel, because layouts round.
  const isCrowded = (target, other) =>
    !target.element.contains(other.element) &&
    !other.element.contains(target.element) &&
    (other.small
      ? Math.hypot(target.x - other.x, target.y - other.y) < 23
      : distanceToBox(target.x, target.y, other.box) < 11);
  return targets
    .filter((target) => target.small && !isNative(target.element) && !isInText(target.element))
    .filter((target) => targets.some((other) => other !== target && isCrowded(target, other)))
    .slice(0, 50)
    .map(({ element, width, height }) =>
      Object.assign(place(element), {
        width: Math.round(width * 10) / 10,
        height: Math.round(height * 10) / 10,
        text: wordsOf(element, 80) || element.getAttribute("aria-label") || "",
      }),
    );
};
