/*
   The Tab order. Keys are pressed from outside without waiting in between; the focused element is
   recorded when the next key arrives.
 */
import { isClippedAway, isSeen, place, selectorOf, wordsOf } from "./place.js";
import { tappableBox } from "./targets.js";

const tabbable =
  "a[href], area[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable]";

/** Moves the focus internally, invisibly from here. */
const movesInside = (element) =>
  /^(?:iframe|object|embed|video|audio|body|html)$/.test(element.localName) ||
  element.localName.includes("-") ||
  /^(?:date|time|datetime-local|month|week|radio)$/.test(element.type ?? "");

const deepFocus = () => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at === document.documentElement ? document.body : at;
};

const isShownFocused = (element) => {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  const style = getComputedStyle(element);
  const clips = style.overflow !== "visible" || style.clipPath !== "none" || style.clip !== "auto";
  if (clips && isClippedAway(style, element.getBoundingClientRect())) return false;
  const box = tappableBox(element);
  if (!box || box.right - box.left <= 2 || box.bottom - box.top <= 2) return false;
  const { scrollWidth } = document.documentElement;
  return (
    box.right + scrollX > 0 &&
    box.bottom + scrollY > 0 &&
    box.left < Math.max(scrollWidth, innerWidth)
  );
};

const isCommand = (element) =>
  element.matches("a[href], button, summary, [role=button], [role=link]") &&
  (wordsOf(element, 80) !== "" || element.getAttribute("aria-label") !== null);

const walk = { on: false, stops: [], unseen: new Set() };

const noteStop = () => {
  const at = deepFocus();
  walk.stops.push(at);
  if (at && at !== document.body && isCommand(at) && !isShownFocused(at)) walk.unseen.add(at);
};

addEventListener(
  "keydown",
  (event) => {
    if (walk.on && event.key === "Tab" && walk.stops.length < 400) noteStop();
  },
  true,
);

const tabStops = () =>
  [...document.querySelectorAll(tabbable)].filter(
    (element) =>
      element.tabIndex >= 0 &&
      !element.matches(":disabled") &&
      element.checkVisibility({ visibilityProperty: true }),
  );

/** Properties that change the focus style without hiding anything. */
const harmless =
  /^(?:outline|background|border|color$|box-shadow|text-|fill|stroke|cursor|accent-color|transition)/;

/** Whether a focus style may hide something. Unreadable ones may. */
const focusMayHide = () => {
  const mayHide = (rule) =>
    (rule.selectorText?.includes(":focus") === true &&
      [...(rule.style ?? [])].some((property) => !harmless.test(property))) ||
    [...(rule.cssRules ?? rule.styleSheet?.cssRules ?? [])].some(mayHide);
  try {
    return [...document.styleSheets, ...document.adoptedStyleSheets].some(mayHide);
  } catch {
    return true;
  }
};

/**
 * If nothing listens to keys and the focus, nothing can trap it: the order is the markup's (HTML
 * standard, 6.6.3), and each stop is checked without pressing a key.
 */
export const walkWithoutKeys = () => {
  walk.unseen = new Set();
  const order = tabStops().toSorted(
    (a, b) => (a.tabIndex || Infinity) - (b.tabIndex || Infinity) || 0,
  );
  const mayHide = focusMayHide();
  for (const element of order.slice(0, 200)) {
    // What is visible without the focus stays visible; moving the focus would restyle the page.
    if (!isCommand(element) || (!mayHide && isShownFocused(element))) continue;
    element.focus({ focusVisible: true, preventScroll: true });
    if (deepFocus() === element && !isShownFocused(element)) walk.unseen.add(element);
  }
  deepFocus()?.blur?.();
  return {
    sequence: order.slice(0, 200).map(selectorOf),
    trapped: false,
    unseen: walk.unseen.size,
  };
};

/** Starts at the top of the page; returns how many presses lead once around it. */
export const beginWalk = () => {
  walk.on = true;
  walk.stops = [];
  walk.unseen = new Set();
  deepFocus()?.blur?.();
  getSelection()?.removeAllRanges();
  return tabStops().length;
};

/** The stops that the last presses repeat in the same order, at least twice. */
const findPeriod = (stops) => {
  const end = stops.length - 1;
  const period = end - stops.lastIndexOf(stops[end], end - 1);
  if (period > end / 2) return null;
  for (let at = end; at > end - period; at -= 1) {
    if (stops[at] !== stops[at - period]) return null;
  }
  return stops[end] === stops[end - 2 * period] ? new Set(stops.slice(end - period)) : null;
};

/** The stops of the second half if it has each of them twice on average, in any order. */
const findRepeated = (stops) => {
  const last = stops.slice(Math.ceil(stops.length / 2));
  const repeated = new Set(last);
  return last.length >= 4 && repeated.size * 2 <= last.length ? repeated : null;
};

/** The elements that Tab presses come back to without leaving; null for none. */
const findRound = (stops) => {
  const round = findPeriod(stops) ?? findRepeated(stops);
  // A cycle around the whole page is as it should be: it passes the body.
  return round && [...round].some((stop) => !stop || movesInside(stop)) ? null : round;
};

/** In a dialog, or in what looks like one because it stays above the page. */
const isInDialog = (element) => {
  if (element.closest("dialog, [role=dialog], [role=alertdialog], [aria-modal=true]")) return true;
  for (let at = element; at; at = at.parentElement) {
    if (getComputedStyle(at).position === "fixed") return true;
  }
  return false;
};

let trap = null;

export const endWalk = (pressed) => {
  noteStop();
  const { stops } = walk;
  walk.on = false;
  const named = stops.filter((stop) => stop && stop !== document.body && stop.isConnected);
  trap = findRound(stops);
  const others = [...document.querySelectorAll(tabbable)].filter(
    (element) =>
      element.tabIndex >= 0 &&
      !trap?.has(element) &&
      !movesInside(element) &&
      !element.matches(":disabled") &&
      !element.closest("[inert]") &&
      isSeen(element),
  );
  // A dialog that keeps the focus works as intended.
  const inDialog = [...(trap ?? [])].some(isInDialog);
  if (others.length === 0 || inDialog || stops.length < pressed) trap = null;
  return {
    sequence: [...new Set(named)].slice(0, 200).map(selectorOf),
    trapped: trap !== null,
    unseen: [...walk.unseen].filter((element) => element.isConnected).length,
  };
};

/**
 * Waits so long in the page: what it has set a shorter timer for is over then, however busy the machine
 * is.
 */
export const letReact = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns to the trap, to try other ways out. */
export const enterTrap = () => [...(trap ?? [])][0]?.focus();
export const isInTrap = () => trap !== null && trap.has(deepFocus());
export const readTrap = () => {
  const [element] = trap ?? [];
  return element ? place(element) : null;
};

/** Elements that weren't visible in passing and stay invisible when given time. */
export const readUnseen = async () => {
  const left = [];
  for (const element of [...walk.unseen].slice(0, 5)) {
    if (!element.isConnected) continue;
    element.focus({ focusVisible: true });
    if (deepFocus() !== element) continue;
    await new Promise((resolve) => setTimeout(resolve, 400));
    if (deepFocus() === element && !isShownFocused(element)) left.push(place(element));
  }
  deepFocus()?.blur?.();
  scrollTo({ top: 0, behavior: "instant" });
  return left;
};
