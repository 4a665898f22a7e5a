import { useEffect, useEffectEvent } from "react";

/** Ctrl+S and ⌘S save, wherever the focus is. */
export function useSaveKey(save: () => void): void {
  const act = useEffectEvent(save);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
