import { useEffect, useRef } from "react";

import type { MountPoint } from "./mount-point.ts";
import type { VisibilityState } from "./visibility-state.ts";

/** When the console closes, the focus returns to where it was, or to the launcher. */
export function useFocusReturn(open: boolean, place: MountPoint, opener: VisibilityState): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (!open && wasOpen.current) {
      const origin = opener.origin();
      const onPage = origin !== place.root.host && origin !== document.body;
      if (onPage && origin instanceof HTMLElement && origin.isConnected) origin.focus();
      else place.launcher.focus();
    }
    wasOpen.current = open;
  }, [open, place, opener]);
}
