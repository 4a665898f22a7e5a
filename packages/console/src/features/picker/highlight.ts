import { labelOf } from "./element.ts";
import { addStyles, drawElement, outlineCss, placeOutline } from "./outline.ts";

/**
 * The element of this page that a selector and the words in it name; null where there is none that
 * can be seen. Several may have the same names: the words tell which is meant.
 */
export function findElement(selector: string, text: string): Element | null {
  let found: Element[];
  try {
    found = [...document.querySelectorAll(selector)];
  } catch {
    // Not every engine names places in the language of style sheets.
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

/** Scrolls to an element and outlines it, without changing the page; gives what ends that. */
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
  // Who goes on with the page, or leaves the console, has seen it.
  const onPage = (event: Event): void => {
    // From outside, all that is in the console's root is its host.
    if (event.target !== root.host) end();
  };
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") end();
  };
  document.addEventListener("pointerdown", onPage, { signal });
  addEventListener("keydown", onKey, { signal, capture: true });
  return end;
}
