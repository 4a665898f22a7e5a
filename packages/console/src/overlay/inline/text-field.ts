import { onOneLine, readSlots, takeSnapshot, textNodes, textTarget } from "./page-text.ts";

/** Maximum texts of one element, with links and emphasis between them. */
export const maxTexts = 12;

/** Maximum characters of a text, as on the server. */
const maxLength = 5000;

/** An edited text of an element. */
export interface Typed {
  target: ReturnType<typeof textTarget>;
  after: string;
}

/** The result of editing. */
export type Outcome =
  | { kind: "unchanged" }
  | { kind: "typed"; texts: Typed[] }
  | { kind: "refused"; reason: string };

export interface TextField {
  /** Ends editing and restores the element. */
  end(): void;
}

const kept =
  "Links, emphasis and other parts inside the text have to stay as they are. Change the words around them, or describe the change in the console.";
const empty = "A text can’t be empty. To remove it, describe the change in the console.";
const tooLong = `A text can have at most ${maxLength} characters.`;

/** Inserts one line of plain text at the cursor so that Ctrl+Z undoes it. */
function insertPlain(text: string): void {
  document.execCommand("insertText", false, text.replace(/[\s\u00a0]+/g, " "));
}

function compare(
  before: ReturnType<typeof readSlots>,
  after: ReturnType<typeof readSlots>,
  targets: readonly ReturnType<typeof textTarget>[],
): Outcome {
  // Browsers add an empty line at the end.
  const tags = after.tags.replace(/(?:^| )br \/$/, "");
  const trailing = tags === after.tags ? 0 : 2;
  if (tags !== before.tags) return { kind: "refused", reason: kept };
  const texts = after.texts.slice(0, after.texts.length - trailing);
  const slots = before.texts.flatMap((text, at) => (text === "" ? [] : [at]));
  const isElsewhere = texts.some((text, at) => text !== "" && before.texts[at] === "");
  if (isElsewhere || slots.length !== targets.length) return { kind: "refused", reason: kept };
  const typed = slots.flatMap((at, index): Typed[] => {
    const target = targets[index];
    const now = texts[at] ?? "";
    return target === undefined || now === target.before ? [] : [{ target, after: now }];
  });
  if (typed.some((one) => one.after === "")) return { kind: "refused", reason: empty };
  if (typed.some((one) => one.after.length > maxLength))
    return { kind: "refused", reason: tooLong };
  return typed.length === 0 ? { kind: "unchanged" } : { kind: "typed", texts: typed };
}

function placeCursor(element: HTMLElement): void {
  const selection = getSelection();
  if (selection === null || element.contains(selection.anchorNode)) return;
  selection.selectAllChildren(element);
}

/** What keys do while editing; the browser handles all others. */
function onKeys(finish: (commits: boolean) => void) {
  return (event: KeyboardEvent): void => {
    // The page's and the console's own shortcuts are off while editing.
    event.stopImmediatePropagation();
    if (event.isComposing) return;
    if (event.key === "Escape" || event.key === "Enter") {
      event.preventDefault();
      finish(event.key === "Enter");
    } else if (event.key === " ") {
      // On a button, it would press that.
      event.preventDefault();
      insertPlain(" ");
    }
  };
}

/** Makes an element editable; returns a function that restores it. */
function makeEditable(element: HTMLElement): () => void {
  const names = ["contenteditable", "role", "aria-label"] as const;
  const attributes = names.map((name) => [name, element.getAttribute(name)] as const);
  element.contentEditable = "plaintext-only";
  element.setAttribute("role", "textbox");
  element.setAttribute("aria-label", `Edit text: ${onOneLine(element.textContent).slice(0, 60)}`);
  return () => {
    for (const [name, value] of attributes) {
      if (value === null) element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
  };
}

/** Keeps the input plain, and blocks the element's own behavior. */
function guardInput(element: HTMLElement, signal: AbortSignal): void {
  const onPaste = (event: ClipboardEvent): void => {
    event.preventDefault();
    insertPlain(event.clipboardData?.getData("text/plain") ?? "");
  };
  const keepPlain = (event: InputEvent): void => {
    if (/^(?:insertParagraph|insertLineBreak|format|insertFromDrop)/.test(event.inputType)) {
      event.preventDefault();
    }
  };
  element.addEventListener("paste", onPaste, { signal });
  element.addEventListener("beforeinput", keepPlain, { signal });
  // A link or a button doesn't react while it is edited.
  element.addEventListener("click", (event) => event.preventDefault(), { signal });
}

/** Handles keys before the page and the console do. */
function listenToKeys(
  element: HTMLElement,
  finish: (commits: boolean) => void,
  signal: AbortSignal,
): void {
  const onDown = onKeys(finish);
  const onOther = (event: KeyboardEvent): void => {
    event.stopImmediatePropagation();
    if (event.type === "keyup" && event.key === " ") event.preventDefault();
  };
  for (const type of ["keydown", "keyup", "keypress"] as const) {
    const onKey = (event: KeyboardEvent): void => {
      if (!element.contains(event.target as Node)) return;
      if (type === "keydown") onDown(event);
      else onOther(event);
    };
    addEventListener(type, onKey, { signal, capture: true });
  }
}

/**
 * Lets the owner edit the texts of an element on the page. Enter, or leaving the element, applies
 * the input, Escape cancels. The element is restored when `onEnd` is called.
 */
export function editText(
  element: HTMLElement,
  page: string,
  onEnd: (outcome: Outcome, isByKeys: boolean) => void,
): TextField {
  const targets = textNodes(element).map((node) => textTarget(node, page));
  const before = readSlots(element);
  const restore = takeSnapshot(element);
  const ending = new AbortController();
  const { signal } = ending;
  const makePlain = makeEditable(element);

  function end(): void {
    if (signal.aborted) return;
    ending.abort();
    restore();
    makePlain();
  }
  function finish(commits: boolean, isByKeys: boolean): void {
    if (signal.aborted) return;
    const outcome: Outcome = commits
      ? compare(before, readSlots(element), targets)
      : { kind: "unchanged" };
    end();
    onEnd(outcome, isByKeys);
  }
  listenToKeys(element, (commits) => finish(commits, true), signal);
  guardInput(element, signal);
  element.addEventListener("blur", () => finish(true, false), { signal });
  element.focus({ preventScroll: true });
  placeCursor(element);
  return { end };
}
