import { type RefObject, useRef, useState } from "react";

import { tabMemory } from "../storage.ts";

export interface Draft {
  text: string;
  input: RefObject<HTMLTextAreaElement | null>;
  write(text: string): void;
  /** Puts the cursor into the text; between two quotes where it ends with an empty pair. */
  focus(): void;
}

/** The text being composed for a page; it outlives page loads in this tab. */
export function useDraft(path: string): Draft {
  const key = `draft:${path}`;
  const [text, setText] = useState(() => tabMemory.get(key) ?? "");
  const input = useRef<HTMLTextAreaElement>(null);
  return {
    text,
    input,
    write(next) {
      setText(next);
      if (next === "") tabMemory.remove(key);
      else tabMemory.set(key, next);
    },
    focus() {
      requestAnimationFrame(() => {
        const field = input.current;
        if (!field) return;
        field.focus();
        const end = field.value.length - (field.value.endsWith('""') ? 1 : 0);
        field.setSelectionRange(end, end);
      });
    },
  };
}
