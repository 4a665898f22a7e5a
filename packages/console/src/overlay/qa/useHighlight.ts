import { useCallback, useEffect, useRef, useState } from "react";

import { findElement, highlight } from "../../features/picker/highlight.ts";

/** How long an element stays outlined, in ms. */
const lasts = 12_000;

export interface Highlight {
  /** The finding whose element wasn't found. */
  missing: number | null;
  /** Finds and outlines a finding's element; `within` is any part of the console. */
  show(id: number, place: { selector: string; text: string }, within: Element): void;
  hide(): void;
}

/** Outlines the element of this page that a finding is about, one at a time. */
export function useHighlight(): Highlight {
  const [missing, setMissing] = useState<number | null>(null);
  const end = useRef<() => void>(() => {});
  const hide = useCallback(() => end.current(), []);
  function show(
    id: number,
    { selector, text }: { selector: string; text: string },
    within: Element,
  ): void {
    end.current();
    const root = within.getRootNode();
    const element = selector === "" ? null : findElement(selector, text);
    setMissing(element === null ? id : null);
    if (element === null || !(root instanceof ShadowRoot)) return;
    const remove = highlight(root, element);
    const timer = setTimeout(remove, lasts);
    end.current = () => {
      clearTimeout(timer);
      remove();
    };
  }
  useEffect(() => hide, [hide]);
  return { missing, show, hide };
}
