/*
   Names of elements, and whether they are visible. `locatorOf` and `isShared` return the same as
   `locate` and `isShared` in check.ts.
 */
const classesOf = (element) =>
  (element.getAttribute("class") ?? "")
    .split(/\s+/)
    .filter((name) => /^[a-z][a-z-]{1,30}$/i.test(name) && !name.startsWith("astro-"))
    .slice(0, 3)
    .map((name) => `.${name}`)
    .join("");

const locatorOf = (element) => {
  const steps = [];
  for (let at = element; at; at = at.parentElement) {
    const id = at.getAttribute("id");
    steps.push(`${at.localName}${classesOf(at)}`);
    if (steps.length >= 4 || at.localName === "body") break;
    if (id !== null && at !== element) {
      steps.push(`#${id}`);
      break;
    }
  }
  return steps.toReversed().join(" ");
};

const idSelector = (element) => {
  const id = element.getAttribute("id");
  if (!id) return null;
  const selector = `#${CSS.escape(id)}`;
  return document.querySelectorAll(selector).length === 1 ? selector : null;
};

export const selectorOf = (element) => {
  const steps = [];
  for (let at = element; at; at = at.parentElement) {
    const byId = idSelector(at);
    if (byId !== null || at === document.body || at === document.documentElement) {
      steps.push(byId ?? at.localName);
      break;
    }
    const same = [...(at.parentElement?.children ?? [])].filter(
      (other) => other.localName === at.localName,
    );
    const name = CSS.escape(at.localName);
    steps.push(same.length > 1 ? `${name}:nth-of-type(${same.indexOf(at) + 1})` : name);
  }
  return steps.toReversed().join(" > ").slice(0, 300);
};

const isShared = (element) => {
  if (element.closest("main, article")) return false;
  return (
    element.closest("header, footer, nav, [role=banner], [role=contentinfo], [role=navigation]") !==
    null
  );
};

export const place = (element) => ({
  selector: selectorOf(element),
  locator: locatorOf(element),
  shared: isShared(element),
});

export const wordsOf = (element, most) =>
  (element.innerText ?? element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, most);

/** Boxes only for screen readers. */
export const isClippedAway = (style, rect) =>
  rect.width <= 2 ||
  rect.height <= 2 ||
  /^inset\((?:50|100)%/.test(style.clipPath) ||
  (style.position === "absolute" && /^rect\((?:0px|1px)/.test(style.clip));

export const isSeen = (element) =>
  element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  !isClippedAway(getComputedStyle(element), element.getBoundingClientRect());

/**
 * The visible part of an element's box; null for none. What can be scrolled into view counts as
 * visible.
 */
export const shownBox = (element, box) => {
  let { left, top, right, bottom } = box;
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY, position } = getComputedStyle(at);
    if (isClippedAway(getComputedStyle(at), { width: 9, height: 9 })) return null;
    const around = at.getBoundingClientRect();
    if (overflowX === "hidden" || overflowX === "clip") {
      left = Math.max(left, around.left);
      right = Math.min(right, around.right);
    }
    if (overflowY === "hidden" || overflowY === "clip") {
      top = Math.max(top, around.top);
      bottom = Math.min(bottom, around.bottom);
    }
    if (position === "fixed") break;
  }
  return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
};

export const frames = (count) =>
  new Promise((resolve) => {
    const next = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  });
