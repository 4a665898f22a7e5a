import { type RefObject, useEffect, useRef, useState } from "react";

/** Inline editing, as far as the console needs it before that code is loaded. */
export interface Typing {
  /** While true, nothing may cover the page. */
  isTyping: boolean;
  onTyping(isTyping: boolean): void;
  /**
   * The last double-clicked element, so that inline editing can handle clicks before it was loaded.
   */
  clicked: RefObject<EventTarget | null>;
}

/**
 * Whether the owner is editing on the page, and what was double-clicked while the console is open.
 */
export function useTyping(open: boolean): Typing {
  const [isTyping, onTyping] = useState(false);
  const clicked = useRef<EventTarget>(null);
  useEffect(() => {
    if (!open) return;
    const onDouble = ({ target }: Event): void => {
      clicked.current = target;
    };
    addEventListener("dblclick", onDouble);
    return () => removeEventListener("dblclick", onDouble);
  }, [open]);
  return { isTyping, onTyping, clicked };
}
