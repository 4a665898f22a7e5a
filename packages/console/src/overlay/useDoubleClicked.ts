import { type RefObject, useEffect, useRef } from "react";

/**
 * What was double-clicked last while the console is open: typing on the page is loaded behind it, and
 * looks here what came too early.
 */
export function useDoubleClicked(open: boolean): RefObject<EventTarget | null> {
  const clicked = useRef<EventTarget>(null);
  useEffect(() => {
    if (!open) return;
    const onDouble = ({ target }: Event): void => {
      clicked.current = target;
    };
    addEventListener("dblclick", onDouble);
    return () => removeEventListener("dblclick", onDouble);
  }, [open]);
  return clicked;
}
