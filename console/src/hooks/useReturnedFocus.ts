import { useEffect, useRef } from "react";

import type { Place } from "../loader.ts";

/** When the console closes, the focus goes back to where it was, or to the pill. */
export function useReturnedFocus(open: boolean, place: Place): void {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (open) {
      const active = document.activeElement;
      before.current = active === place.root.host || active === document.body ? null : active;
    } else if (wasOpen.current) {
      const target = before.current;
      if (target instanceof HTMLElement && target.isConnected) target.focus();
      else place.pill.focus();
    }
    wasOpen.current = open;
  }, [open, place]);
}
