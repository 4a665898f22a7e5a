import { useEffect, useEffectEvent } from "react";

import { hasModifierKey } from "../../../ui/key-names.ts";

/** Ctrl+S or ⌘S saves, wherever the focus is. */
export function useSaveKey(save: () => void): void {
  const act = useEffectEvent(save);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!hasModifierKey(event) || event.altKey) return;
      if (event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
