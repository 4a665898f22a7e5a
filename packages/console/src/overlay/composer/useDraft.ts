import { type RefObject, useRef, useState } from "react";

import type { Mode, PickedElement } from "../../api/types.ts";
import { tabStorage } from "../../ui/storage.ts";
import type { DraftImage } from "./draft-images.ts";

interface DraftContext {
  elements: readonly PickedElement[];
  images: readonly DraftImage[];
}

export interface Draft extends DraftContext {
  text: string;
  mode: Mode;
  input: RefObject<HTMLTextAreaElement | null>;
  write(text: string): void;
  /** Focuses the text; inside the quotes if it ends with an empty pair. */
  focus(): void;
  /** Adds an element, unless it is already there. */
  addElement(element: PickedElement): void;
  removeElement(element: PickedElement): void;
  setImages(change: (known: readonly DraftImage[]) => readonly DraftImage[]): void;
  choose(mode: Mode): void;
  /** Removes what was sent from the draft: later input stays. */
  clear(): void;
  /** Removes only the text. */
  clearText(): void;
}

/** Maximum elements, as on the server. */
const maxElements = 20;

/** Maximum characters of an instruction. */
export const maxLength = 8000;

const nothing: DraftContext = { elements: [], images: [] };

/** Whether all named fields of an object are texts. */
const hasTexts = (value: unknown, fields: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  fields.every((field) => typeof (value as Record<string, unknown>)[field] === "string");

/** The valid items of a stored list; empty if it isn't a list. */
function kept<T>(list: unknown, fields: readonly string[]): T[] {
  return Array.isArray(list) ? list.filter((item): item is T => hasTexts(item, fields)) : [];
}

/** The stored format: its names are those in drafts of open tabs. */
export const writeContext = ({ elements, images }: DraftContext): string =>
  JSON.stringify({ elements, pictures: images });

/** The stored value; empty if it is unreadable. */
export function readContext(text: string | null): DraftContext {
  try {
    const value = JSON.parse(text ?? "null") as { elements?: unknown; pictures?: unknown } | null;
    return {
      elements: kept(value?.elements, ["file", "tag", "text", "page"]),
      images: kept(value?.pictures, ["key", "name", "use", "alt"]),
    };
  } catch {
    return nothing;
  }
}

const isSame = (one: PickedElement, other: PickedElement): boolean =>
  one.file === other.file &&
  one.line === other.line &&
  one.column === other.column &&
  one.text === other.text;

/** A text that survives page loads in this tab. */
function useText(key: string) {
  const [text, setText] = useState(() => tabStorage.get(key) ?? "");
  return {
    text,
    write(next: string): void {
      setText(next);
      if (next === "") tabStorage.remove(key);
      else tabStorage.set(key, next);
    },
    clearText(): void {
      setText((now) => {
        if (now !== text) return now;
        tabStorage.remove(key);
        return "";
      });
    },
  };
}

/** The composer's draft for a page, which survives page loads in this tab. */
export function useDraft(path: string): Draft {
  const contextKey = `along:${path}`;
  const { text, write, clearText } = useText(`draft:${path}`);
  const [context, setContext] = useState(() => readContext(tabStorage.get(contextKey)));
  const [mode, setMode] = useState<Mode>(() =>
    tabStorage.get("mode") === "ask" ? "ask" : "build",
  );
  const input = useRef<HTMLTextAreaElement>(null);

  function change(update: (known: DraftContext) => DraftContext): void {
    setContext((known) => {
      const next = update(known);
      const empty = next.elements.length + next.images.length === 0;
      if (empty) tabStorage.remove(contextKey);
      else tabStorage.set(contextKey, writeContext(next));
      return next;
    });
  }
  return {
    text,
    mode,
    ...context,
    input,
    write,
    focus() {
      requestAnimationFrame(() => {
        const field = input.current;
        if (!field) return;
        field.focus();
        const end = field.value.length - (field.value.endsWith('""') ? 1 : 0);
        field.setSelectionRange(end, end);
      });
    },
    addElement: (element) =>
      change(({ elements, ...rest }) => {
        const known = elements.some((other) => isSame(element, other));
        if (known || elements.length >= maxElements) return { elements, ...rest };
        return { ...rest, elements: [...elements, element] };
      }),
    removeElement: (element) =>
      change(({ elements, ...rest }) => ({
        ...rest,
        elements: elements.filter((other) => other !== element),
      })),
    setImages: (update) => change(({ images, ...rest }) => ({ ...rest, images: update(images) })),
    choose(next) {
      setMode(next);
      tabStorage.set("mode", next);
    },
    clearText,
    clear() {
      clearText();
      const sent = new Set(context.images.map(({ key }) => key));
      change(({ elements, images }) => ({
        elements: elements.filter((element) => !context.elements.includes(element)),
        images: images.filter(({ key }) => !sent.has(key)),
      }));
    },
  };
}
