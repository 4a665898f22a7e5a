import type { FromFrame } from "../frame-protocol.ts";

const maxText = 10_000;

/** Whether an element contains a single text and nothing else. */
function isOneText({ childNodes }: Element): boolean {
  const [only] = childNodes;
  return childNodes.length === 1 && only?.nodeType === Node.TEXT_NODE;
}

/** Makes an element editable until it loses focus; `say` is called with each change. */
function write(element: HTMLElement, say: (text: string) => void): void {
  if (element.isContentEditable) return;
  const done = new AbortController();
  const { signal } = done;
  element.contentEditable = "plaintext-only";
  const onInput = (): void => say(element.innerText.slice(0, maxText));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    element.blur();
  };
  const onBlur = (): void => {
    done.abort();
    element.removeAttribute("contenteditable");
  };
  element.addEventListener("input", onInput, { signal });
  element.addEventListener("keydown", onKey, { signal });
  element.addEventListener("blur", onBlur, { signal });
  element.focus();
}

/** Lets texts of the page be clicked and edited in place. */
export interface InlineEditing {
  setEnabled(on: boolean): void;
}

/**
 * A click reports the text under it; an element with a single text becomes editable. Links and
 * buttons do nothing.
 */
export function makeEditing(tell: (message: FromFrame) => void): InlineEditing {
  const keys = new WeakMap<Element, string>();
  let given = 0;
  let turned: AbortController | null = null;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    "body { cursor: text } :is(h1,h2,h3,h4,h5,h6,p,li,dt,dd,span,a,figcaption,blockquote):hover { outline: 1px dashed #4c6fff; outline-offset: 2px } [contenteditable] { outline: 2px solid #4c6fff !important; outline-offset: 2px }",
  );

  function keyOf(element: Element): string {
    const known = keys.get(element);
    if (known !== undefined) return known;
    given += 1;
    keys.set(element, String(given));
    return String(given);
  }

  function onClick(event: MouseEvent): void {
    const element = event.target instanceof HTMLElement ? event.target : null;
    if (!element?.isContentEditable) event.preventDefault();
    event.stopPropagation();
    const text = element?.innerText.trim() ?? "";
    if (element === null || text === "") return;
    const key = keyOf(element);
    tell({ kind: "text", key, text: text.slice(0, maxText) });
    if (isOneText(element)) write(element, (now) => tell({ kind: "edited", key, text: now }));
  }

  return {
    setEnabled(on) {
      if (on === (turned !== null)) return;
      turned?.abort();
      turned = on ? new AbortController() : null;
      const sheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
      document.adoptedStyleSheets = on ? [...sheets, sheet] : sheets;
      if (turned) addEventListener("click", onClick, { capture: true, signal: turned.signal });
    },
  };
}
