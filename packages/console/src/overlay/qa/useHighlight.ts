import { useCallback, useEffect, useRef, useState } from "react";

import { findElement, highlight } from "../../features/picker/highlight.ts";

/** How long an element stays outlined, in ms. */
const lasts = 12_000;

export interface Highlight {
  /** Whether it is there: null before it was looked for. */
  found: boolean | null;
  /** Looks for it and outlines it; `within` is any part of the console. */
  show(within: Element): void;
  hide(): void;
}

/** Outlines the element of this page that a finding is about. */
export function useHighlight(place: { selector: string; text: string } | null): Highlight {
  const [found, setFound] = useState<boolean | null>(null);
  const end = useRef<() => void>(() => {});
  const { selector, text } = place ?? { selector: "", text: "" };
  const hide = useCallback(() => end.current(), []);
  const show = useCallback(
    (within: Element): void => {
      end.current();
      const root = within.getRootNode();
      const element = selector === "" ? null : findElement(selector, text);
      setFound(element !== null);
      if (element === null || !(root instanceof ShadowRoot)) return;
      const remove = highlight(root, element);
      const timer = setTimeout(remove, lasts);
      end.current = () => {
        clearTimeout(timer);
        remove();
      };
    },
    [selector, text],
  );
  useEffect(() => hide, [hide]);
  return { found, show, hide };
}
