import { useEffect, useRef } from "react";

import { hasModifierKey } from "./key-names.ts";

/**
 * Key bindings. Single keys, such as `p`, work outside of text fields; `mod+k` and `mod+shift+c`
 * mean Ctrl, or ⌘ on Apple's keyboards, and always work.
 */
export type Keys = Readonly<Record<string, () => void>>;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(?:radio|range|checkbox)$/.test(target.type))
  );
}

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** A key with Ctrl or ⌘ in the format of `Keys`; null without one. */
export function chordOf(event: Press, atApple?: boolean): string | null {
  if (!hasModifierKey(event, atApple) || event.altKey) return null;
  return `mod+${event.shiftKey ? "shift+" : ""}${event.key.toLowerCase()}`;
}

/**
 * Handles keys inside the console: Esc closes, single letters work only outside of text fields. On
 * the page itself, only Esc and keys with Ctrl or ⌘ count, Esc only if the page's own parts don't
 * have the focus.
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
      if (event.defaultPrevented) return;
      if (event.key === "Escape") {
        if (document.activeElement === document.body) latest.current.onEscape();
      } else {
        pressChord(event);
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [active]);

  function pressChord(event: KeyboardEvent): boolean {
    const chord = chordOf(event);
    const act = chord === null ? undefined : latest.current.keys[chord];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }
  return (event) => {
    if (event.key === "Escape") return latest.current.onEscape();
    if (pressChord(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    const act = latest.current.keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };
}
