import { labelOf } from "./element.ts";
import { addStyles, drawElement, outlineCss, placeOutline } from "./outline.ts";

/**
 * The visible element with this selector and text; null if there is none. The text distinguishes
 * several.
 */
export function findElement(selector: string, text: string): Element | null {
  let found: Element[];
  try {
    found = [...document.querySelectorAll(selector)];
  } catch {
    // Not every check's selector is a CSS selector.
    return null;
  }
  const seen = found.filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  });
  const words = text.replaceAll(/\s+/g, " ").trim();
  const named = (element: Element): boolean =>
    element.textContent.replaceAll(/\s+/g, " ").includes(words);
  return (words === "" ? undefined : seen.find(named)) ?? seen[0] ?? null;
}

/**
 * Scrolls to an element and outlines it without changing the page; returns a function that ends it.
 */
export function highlight(root: ShadowRoot, element: Element): () => void {
  const removeStyles = addStyles(root, outlineCss);
  const ending = new AbortController();
  const { signal } = ending;
  const layer = document.createElement("div");
  layer.className = "pick shown";
  layer.ariaHidden = "true";
  const parts = {
    box: drawElement(layer, "div", "pick-box"),
    label: drawElement(layer, "div", "pick-label"),
  };
  parts.label.textContent = labelOf(element);
  root.prepend(layer);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "center", behavior: calm ? "instant" : "smooth" });
  const follow = (): void => placeOutline(parts, element);
  follow();
  addEventListener("scroll", follow, { signal, capture: true, passive: true });
  addEventListener("resize", follow, { signal });
  function end(): void {
    if (signal.aborted) return;
    ending.abort();
    layer.remove();
    removeStyles();
  }
  // Continuing on the page or leaving the console ends it.
  const onPage = (event: Event): void => {
    // From outside, everything in the console's shadow root is its host.
    if (event.target !== root.host) end();
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") end();
  };
  document.addEventListener("pointerdown", onPage, { signal });
  addEventListener("keydown", onKey, { signal, capture: true });
  return end;
}
