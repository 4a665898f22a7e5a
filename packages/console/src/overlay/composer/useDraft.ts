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
  /** Puts the cursor into the text; between two quotes where it ends with an empty pair. */
  focus(): void;
  /** Takes a part of the page along; one that is there already only once. */
  addElement(element: PickedElement): void;
  removeElement(element: PickedElement): void;
  setImages(change: (known: readonly DraftImage[]) => readonly DraftImage[]): void;
  choose(mode: Mode): void;
  /** Takes away what this draft holds, once it was sent: what was written meanwhile stays. */
  clear(): void;
  /** Takes away the text alone. */
  clearText(): void;
}

/** The most parts of a page that go along; the server's own bound. */
const maxElements = 20;

/** The longest instruction, in characters. */
export const maxLength = 8000;

const nothing: DraftContext = { elements: [], images: [] };

/** Whether all of an object's named fields are texts. */
const hasTexts = (value: unknown, fields: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  fields.every((field) => typeof (value as Record<string, unknown>)[field] === "string");

/** The items of a list that was kept which can be shown; none where there is no list. */
function kept<T>(list: unknown, fields: readonly string[]): T[] {
  return Array.isArray(list) ? list.filter((item): item is T => hasTexts(item, fields)) : [];
}

/** The stored form: its names are those of drafts that open tabs already hold. */
export const writeContext = ({ elements, images }: DraftContext): string =>
  JSON.stringify({ elements, pictures: images });

/** What was kept; what can't be read is nothing. */
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

/** A text that outlives page loads in this tab. */
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

/** What is being composed for a page; it outlives page loads in this tab. */
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
