import { type RefObject, useEffect, useRef, useState } from "react";

/** Typing on the page, as far as the console has to know of it before that is loaded. */
export interface Typing {
  /** Meanwhile nothing may cover the page. */
  isTyping: boolean;
  onTyping(isTyping: boolean): void;
  /** What was double-clicked last: what types looks here for what came too early. */
  clicked: RefObject<EventTarget | null>;
}

/** Whether the owner types on the page, and what was double-clicked while the console is open. */
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
