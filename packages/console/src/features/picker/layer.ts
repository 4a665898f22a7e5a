import type { PickedElement } from "../../api/types.ts";
import { elementAt, labelOf, pickedElement, startOf, walk } from "./element.ts";
import {
  addStyles,
  drawElement,
  outlineCss,
  type OutlineElements,
  placeOutline,
} from "./outline.ts";

const css = `${outlineCss}
.pick { cursor: crosshair; }
.pick-help { inset: auto 0 12px; margin: auto; width: fit-content; max-width: calc(100vw - 16px);
  display: flex; align-items: center; gap: 12px; padding: 6px 6px 6px 14px; border-radius: 28px;
  background: #14161a; color: #f1f2f4; box-shadow: 0 4px 16px #0006; }
.pick-help button { pointer-events: auto; font: inherit; min-height: 32px; padding: 0 14px;
  border: 1px solid #79818f; border-radius: 16px; background: none; color: inherit; cursor: pointer; }
.pick-help button:focus-visible { outline: 2px solid #8fa6ff; outline-offset: 2px; }
@media (max-width: 767.98px) { .pick-help button { min-height: 44px; border-radius: 22px; } }
`;

export interface PickOptions {
  /** Where the outline is drawn; nothing else is changed. */
  root: ShadowRoot;
  /** The page's path, to send with the selected element. */
  path: string;
  onPick(element: PickedElement): void;
  /** Selecting was cancelled. */
  onLeave(): void;
}

interface PickerElements extends OutlineElements {
  layer: HTMLElement;
  /** Pressing it edits the selected element's text. */
  type: HTMLElement;
  cancel: HTMLElement;
}

function draw(root: ShadowRoot): PickerElements {
  const layer = document.createElement("div");
  layer.className = "pick";
  layer.tabIndex = -1;
  layer.setAttribute("role", "application");
  layer.ariaLabel =
    "Pick a part of the page: arrow keys move, Enter selects, F2 edits its text, Escape cancels";
  const box = drawElement(layer, "div", "pick-box");
  const label = drawElement(layer, "div", "pick-label");
  label.role = "status";
  const help = drawElement(layer, "div", "pick-help");
  help.append("Pick a part of the page");
  const type = drawElement(help, "button", "");
  type.textContent = "Edit text";
  type.ariaPressed = "false";
  const cancel = drawElement(help, "button", "");
  cancel.textContent = "Cancel";
  box.hidden = true;
  label.hidden = true;
  root.prepend(layer);
  return { layer, box, label, type, cancel };
}

/** The element under the pointer, with its outline. */
interface Pointer {
  show(element: Element | null): void;
  /** Moves with an arrow key. */
  step(key: string): void;
  /** Moves the outline to the element's new position. */
  follow(): void;
  current(): Element | null;
  /** The element for an instruction; null if its source is unknown. */
  picked(): PickedElement | null;
}

function makePointer(parts: PickerElements, path: string): Pointer {
  let current: Element | null = null;
  const picked = () => current && pickedElement(current, path);
  function show(element: Element | null): void {
    current = element;
    if (element !== null) {
      parts.label.textContent = labelOf(element) + (picked() ? "" : " (unknown source)");
    }
    placeOutline(parts, element);
  }
  return {
    show,
    current: () => current,
    picked,
    follow: () => placeOutline(parts, current),
    step(key) {
      const next = current === null ? startOf(document) : walk(current, key);
      next?.scrollIntoView({ block: "nearest", behavior: "instant" });
      if (next) show(next);
    },
  };
}

interface Ends {
  pick(): void;
  /** Edits the text of the element under the pointer. */
  edit(): void;
  leave(): void;
}

/** Lets pointer and keys move the outline and end selecting. */
function listen(
  { layer, type, cancel }: PickerElements,
  pointer: Pointer,
  { pick, edit, leave }: Ends,
  signal: AbortSignal,
): void {
  const own = (layer.getRootNode() as ShadowRoot).host;
  const edits = () => type.ariaPressed === "true";
  const choose = (): void => (edits() ? edit() : pick());
  const point = ({ clientX, clientY, target }: MouseEvent): void => {
    if (target !== cancel && target !== type)
      pointer.show(elementAt(document, clientX, clientY, own));
  };
  const onClick = (event: MouseEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (event.target === cancel) return leave();
    if (event.target === type) {
      type.ariaPressed = String(!edits());
      return;
    }
    point(event);
    choose();
  };
  const onKey = (event: KeyboardEvent): void => {
    const { key } = event;
    const [at] = event.composedPath();
    // Keys typed in the console's fields aren't handled here. In a closed shadow root, the host
    // stands for the layer.
    const ours = at === own || at === document.body || layer.contains(at as Node);
    if (!ours || ((at === cancel || at === type) && key !== "Escape")) return;
    if (key === "Escape") leave();
    else if (key === "Enter") choose();
    else if (key === "F2") edit();
    else if (key.startsWith("Arrow")) pointer.step(key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMove = (event: PointerEvent): void => {
    if (event.pointerType !== "touch") point(event);
  };
  layer.addEventListener("pointermove", onMove, { signal });
  layer.addEventListener("pointerdown", point, { signal });
  layer.addEventListener("click", onClick, { signal });
  addEventListener("keydown", onKey, { signal, capture: true });
  addEventListener("scroll", pointer.follow, { signal, capture: true, passive: true });
  addEventListener("resize", pointer.follow, { signal });
}

/**
 * Lets the user select an element of this document with pointer or keys. The page isn't changed: a
 * layer over it shows the outline and receives clicks. Returns a function that ends it.
 */
export function startPicking({ root, path, onPick, onLeave }: PickOptions): () => void {
  const removeStyles = addStyles(root, css);
  const before = root.activeElement ?? document.activeElement;
  const parts = draw(root);
  const pointer = makePointer(parts, path);
  const ending = new AbortController();
  function stop(): void {
    if (ending.signal.aborted) return;
    ending.abort();
    parts.layer.remove();
    removeStyles();
    if (before instanceof HTMLElement && before !== document.body) before.focus();
  }
  const ends: Ends = {
    pick() {
      const picked = pointer.picked();
      if (!picked) return;
      stop();
      onPick(picked);
    },
    edit() {
      const element = pointer.current();
      if (element === null) return;
      stop();
      onLeave();
      root.dispatchEvent(new CustomEvent("vitrine-type", { detail: element }));
    },
    leave() {
      stop();
      onLeave();
    },
  };
  listen(parts, pointer, ends, ending.signal);
  parts.layer.focus({ preventScroll: true });
  return stop;
}
