/** Styles of the outline and its label. */
export const outlineCss = `
.pick { position: fixed; inset: 0; z-index: 2147483645; outline: 0;
  font: 500 13px/18px system-ui, sans-serif; color: #0e1013; }
.pick.shown { pointer-events: none; }
.pick > * { position: fixed; pointer-events: none; }
.pick-box { border: 2px solid #4c6fff; border-radius: 3px; background: #4c6fff1f;
  box-shadow: 0 0 0 1px #fff; transition: inset 80ms, width 80ms, height 80ms; }
.pick-label { max-width: min(360px, calc(100vw - 16px)); padding: 2px 8px; border-radius: 4px;
  background: #14161a; color: #f1f2f4; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
@media (prefers-reduced-motion: reduce) { .pick-box { transition: none; } }
@media print { .pick { display: none; } }
`;

export interface OutlineElements {
  box: HTMLElement;
  label: HTMLElement;
}

/** Creates an element of the outline. */
export function drawElement(parent: Node, name: string, className: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  parent.appendChild(made);
  return made;
}

/** Moves outline and label to an element; null hides them. */
export function placeOutline({ box, label }: OutlineElements, element: Element | null): void {
  box.hidden = element === null;
  label.hidden = element === null;
  if (element === null) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const view = document.documentElement;
  box.style.cssText = `left:${left - 2}px;top:${top - 2}px;width:${width + 4}px;height:${height + 4}px`;
  const above = top >= 28;
  const below = Math.min(Math.max(top + height + 4, 4), view.clientHeight - 26);
  const y = above ? Math.min(top - 26, view.clientHeight - 26) : below;
  const x = Math.max(4, Math.min(left, view.clientWidth - label.offsetWidth - 4));
  label.style.cssText = `left:${x}px;top:${y}px`;
}

/** Adds style sheets to a shadow root; returns a function that removes them. */
export function addStyles(root: ShadowRoot, css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets.push(sheet);
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
