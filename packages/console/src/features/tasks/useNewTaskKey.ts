import { useEffect, useEffectEvent } from "react";

/** Whether a key was pressed in a text field or in something over the page. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, select, textarea, dialog, [contenteditable]") !== null
  );
}

/** N opens a new task, outside of fields. */
export function useNewTaskKey(open: () => void): void {
  const press = useEffectEvent(open);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const bare = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key.toLowerCase() !== "n" || !bare || event.defaultPrevented) return;
      // For a shadow root, the page sees its host as the target.
      if (isTyping(event.composedPath()[0] ?? null)) return;
      event.preventDefault();
      press();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
