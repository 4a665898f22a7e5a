import { useEffect, useState } from "react";

import type { Device } from "../features/preview/preview-url.ts";
import type { Preview } from "../features/preview/preview.ts";
import type { MountPoint } from "./mount-point.ts";
import type { CurrentRun } from "./RunPanel.tsx";

/** Whether the preview that waits is framed, and how; it goes when the run goes on or another is looked at. */
export function usePreview(place: MountPoint, open: boolean, current: CurrentRun | null): Preview {
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
