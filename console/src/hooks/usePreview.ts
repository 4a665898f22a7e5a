import { useEffect, useState } from "react";

import type { Device } from "../components/preview-address.ts";
import type { CurrentRun } from "../components/RunPanel.tsx";
import type { Place } from "../place.ts";

export interface Preview {
  /** The address of the preview that is framed; null while none is. */
  url: string | null;
  device: Device;
  /** Whether the live site lies under it. */
  comparing: boolean;
  /** The frame that it is shown in. */
  frame: HTMLIFrameElement | null;
  setDevice(device: Device): void;
  setFrame(frame: HTMLIFrameElement | null): void;
  /** Lays the live site under it or takes that away; opens the preview where that is needed. */
  compare(): void;
  toggle(): void;
  close(): void;
}

/** Whether the preview that waits is framed, and how; it goes when the run goes on or another is looked at. */
export function usePreview(place: Place, open: boolean, current: CurrentRun | null): Preview {
  const [wanted, setWanted] = useState<string | null>(null);
  const [device, setDevice] = useState<Device>("full");
  const [comparing, setComparing] = useState(false);
  const [frame, setFrame] = useState<HTMLIFrameElement | null>(null);
  const waiting = current?.status === "preview_ready" ? current.previewUrl : null;
  const url = open && wanted === waiting ? waiting : null;
  useEffect(() => {
    setWanted((known) => (known === waiting ? known : null));
  }, [waiting]);
  function close(): void {
    setWanted(null);
    setComparing(false);
    const button = ".panel:not([hidden]) .to-preview";
    requestAnimationFrame(() => place.root.querySelector<HTMLElement>(button)?.focus());
  }
  return {
    url,
    device,
    comparing,
    frame,
    setDevice,
    setFrame,
    compare() {
      setWanted(waiting);
      setComparing(url === null || !comparing);
    },
    toggle: () => (url === null ? setWanted(waiting) : close()),
    close,
  };
}
