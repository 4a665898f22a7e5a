import { onOneLine, textNodes } from "./page-text.ts";

/** How long a click on a link is held, in ms, in case it starts a double click. */
const holdMs = 350;

export interface PageEvents {
  /** The console's own host element, whose events are ignored. */
  host: Element;
  /** A text or an image was double-clicked. */
  onEdit(element: HTMLElement): void;
  /** An image file was dropped on an image. */
  onDrop(image: HTMLImageElement, file: File): void;
  /** The image that a file would be dropped on; null for none. */
  onOver(image: HTMLImageElement | null): void;
}

const hasOwnText = (element: Element): boolean =>
  [...element.childNodes].some((node) => node instanceof Text && onOneLine(node.data) !== "");

/** The image or text visible at a point, even under a link. */
function elementSeenAt({ clientX, clientY }: MouseEvent): HTMLElement | null {
  const range = document.createRange();
  const isOver = (node: Node): boolean => {
    range.selectNodeContents(node);
    return [...range.getClientRects()].some(
      ({ left, right, top, bottom }) =>
        clientX >= left && clientX <= right && clientY >= top && clientY <= bottom,
    );
  };
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    if (element instanceof HTMLImageElement) return element;
    if (!(element instanceof HTMLElement)) continue;
    const texts = [...element.childNodes].filter((node) => node instanceof Text);
    if (texts.some((node) => onOneLine(node.data) !== "" && isOver(node))) return element;
  }
  return null;
}

/** The target of a double click: an image, or an element with its own text. */
export function editableAt(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof HTMLElement) || target.isContentEditable) return null;
  if (target instanceof HTMLImageElement) return target;
  if (/^(?:input|textarea|select|html|body)$/.test(target.localName)) return null;
  return hasOwnText(target) ? target : null;
}

/** The only text in a double-clicked element, such as the label in a link's padding. */
function onlyTextIn(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof HTMLElement)) return null;
  const [text, ...others] = textNodes(target);
  return text !== undefined && others.length === 0 ? editableAt(text.parentElement) : null;
}

/** Holds clicks on links for a moment, so that a double click on their text doesn't follow them. */
function holdLinks(signal: AbortSignal): () => void {
  let held: ReturnType<typeof setTimeout> | undefined;
  let passing = false;
  const onClick = (event: MouseEvent): void => {
    const { target } = event;
    const link = target instanceof Element ? target.closest<HTMLElement>("a[href]") : null;
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    // Clicks by keys or scripts have a click count of 0.
    if (passing || link === null || !isPlain || event.detail === 0) return;
    if (link.isContentEditable || onOneLine(link.textContent) === "") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clearTimeout(held);
    if (event.detail > 1) return;
    held = setTimeout(() => {
      passing = true;
      link.click();
      passing = false;
    }, holdMs);
  };
  addEventListener("click", onClick, { signal, capture: true });
  return () => clearTimeout(held);
}

const carriesFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes("Files") ?? false;

function listenToDrops({ onDrop, onOver }: PageEvents, signal: AbortSignal): void {
  const imageAt = ({ clientX, clientY }: DragEvent): HTMLImageElement | null =>
    document
      .elementsFromPoint(clientX, clientY)
      .find((element): element is HTMLImageElement => element instanceof HTMLImageElement) ?? null;
  const onDrag = (event: DragEvent): void => {
    const image = carriesFiles(event) && !isCovered(event) ? imageAt(event) : null;
    onOver(event.type === "dragover" ? image : null);
    if (image === null) return;
    event.preventDefault();
    // Otherwise, the composer would accept it as well.
    event.stopImmediatePropagation();
    const file = event.dataTransfer?.files[0];
    if (event.type === "drop" && file !== undefined) onDrop(image, file);
  };
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, onDrag, { signal, capture: true });
  }
  addEventListener("dragleave", (event) => event.relatedTarget === null && onOver(null), {
    signal,
  });
}

/** Whether the console covers the page there. */
const isCovered = ({ target }: Event): boolean =>
  target instanceof Element && target.localName === "vitrine-console";

/** Listens to events on the page itself; returns a function that stops. */
export function listenToPage(events: PageEvents): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const release = holdLinks(signal);
  const onDouble = (event: MouseEvent): void => {
    if (event.target === events.host) return;
    const { target } = event;
    const element = editableAt(elementSeenAt(event)) ?? editableAt(target) ?? onlyTextIn(target);
    if (element === null) return;
    release();
    events.onEdit(element);
  };
  addEventListener("dblclick", onDouble, { signal, capture: true });
  listenToDrops(events, signal);
  return () => {
    release();
    ending.abort();
  };
}
