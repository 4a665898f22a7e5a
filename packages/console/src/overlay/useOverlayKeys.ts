import { useCallback, useRef } from "react";

import type { FrameKey } from "../features/preview/frame-protocol.ts";
import { useKeys } from "../ui/useKeys.ts";
import type { OverlayParts } from "./palette/overlay-commands.ts";

export interface OverlayKeys {
  onKey(event: KeyboardEvent): void;
  /** For a key pressed in the preview's frame. */
  onFrameKey(key: FrameKey): void;
}

/** Keys in the overlay and in the preview; Esc closes the innermost open part. */
export function useOverlayKeys(parts: OverlayParts, active: boolean): OverlayKeys {
  const { preview, picker } = parts;
  const letters = {
    p: preview.toggle,
    d: parts.toggleDiffs,
    "1": () => preview.setDevice("phone"),
    "2": () => preview.setDevice("tablet"),
    "3": () => preview.setDevice("full"),
    "?": () => parts.show("help"),
  };
  function leave(): void {
    if (picker.picking) picker.cancel();
    else if (preview.url !== null) preview.close();
    else parts.close();
  }
  const chords = { "mod+k": () => parts.show("palette"), "mod+shift+c": () => picker.start() };
  const acts = { ...chords, ...letters };
  const onKey = useKeys(active, acts, leave);
  const latest = useRef({ acts, leave });
  latest.current = { acts, leave };
  const onFrameKey = useCallback((key: FrameKey): void => {
    if (key === "Escape") latest.current.leave();
    else latest.current.acts[key]();
  }, []);
  return { onKey, onFrameKey };
}
