import { useEffect, useRef } from "react";

/** The keys that act while nothing is being typed. */
export type Keys = Readonly<Record<string, () => void>>;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && target.type === "radio")
  );
}

/**
 * What a key pressed inside the console does: Esc leaves, single letters act only where no text
 * is typed. On the page itself only Esc counts, and only when the page's own parts do not have
 * the focus, so that nothing there is disturbed.
 */
export function useKeys(
  active: boolean,
  keys: Keys,
  onEscape: () => void,
): (event: KeyboardEvent) => void {
  const latest = useRef({ keys, onEscape });
  useEffect(() => {
    latest.current = { keys, onEscape };
  });
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.activeElement === document.body) latest.current.onEscape();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [active]);
  return (event) => {
    if (event.key === "Escape") return latest.current.onEscape();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const act = latest.current.keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };
}
