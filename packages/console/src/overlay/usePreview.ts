import { useEffect, useEffectEvent, useState } from "react";

import type { Device } from "../features/preview/preview-url.ts";
import type { Preview } from "../features/preview/preview.ts";
import type { MountPoint } from "./mount-point.ts";
import type { CurrentRun } from "./RunPanel.tsx";

export interface OverlayPreviewState extends Preview {
  /** Whether the waiting preview has been framed at least once. */
  isLookedAt: boolean;
}

/**
 * Whether the waiting preview is framed, and how; it closes when the run continues or another one
 * is viewed.
 */
export function usePreview(
  place: MountPoint,
  open: boolean,
  current: CurrentRun | null,
  isNarrow: boolean,
): OverlayPreviewState {
  const [wanted, setWanted] = useState<string | null>(null);
  const [device, setDevice] = useState<Device>("full");
  const [comparing, setComparing] = useState(false);
  const [frame, setFrame] = useState<HTMLIFrameElement | null>(null);
  const waiting = current?.status === "preview_ready" ? current.previewUrl : null;
  const url = open && wanted === waiting ? waiting : null;
  const isWatched = current?.isWatched === true;
  const [lookedAt, setLookedAt] = useState<string | null>(null);
  const [isAutomatic, setAutomatic] = useState(false);
  const isWriting = useEffectEvent(() => isNarrow && place.root.activeElement?.matches("textarea"));
  useEffect(() => {
    // A preview that becomes ready while the owner is watching opens automatically; on a phone, not
    // over text being written.
    const shows = waiting !== null && isWatched && !isWriting();
    setWanted((known) => (shows || known === waiting ? waiting : null));
    setAutomatic(shows);
  }, [waiting, isWatched]);
  useEffect(() => {
    if (url !== null) setLookedAt(url);
  }, [url]);
  function want(): void {
    setWanted(waiting);
    setAutomatic(false);
  }
  function close(): void {
    setWanted(null);
    setComparing(false);
    const button = ".panel:not([hidden]) .to-preview";
    requestAnimationFrame(() => place.root.querySelector<HTMLElement>(button)?.focus());
  }
  return {
    url,
    isLookedAt: waiting !== null && lookedAt === waiting,
    takesFocus: isNarrow || !isAutomatic,
    device,
    comparing,
    frame,
    setDevice,
    setFrame,
    compare() {
      want();
      setComparing(url === null || !comparing);
    },
    toggle: () => (url === null ? want() : close()),
    close,
  };
}
