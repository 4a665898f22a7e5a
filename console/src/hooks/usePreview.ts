import { useEffect, useState } from "react";

import type { Device } from "../components/preview-address.ts";
import type { CurrentRun } from "../components/RunPanel.tsx";
import type { Place } from "../place.ts";

export interface Preview {
  /** The address of the preview that is framed; null while none is. */
  url: string | null;
  device: Device;
  setDevice(device: Device): void;
  toggle(): void;
  close(): void;
}

/** Whether the preview that waits is framed, and in which size; it goes when the run goes on. */
export function usePreview(place: Place, open: boolean, current: CurrentRun | null): Preview {
  const [wanted, setWanted] = useState(false);
  const [device, setDevice] = useState<Device>("full");
  const waiting = current?.status === "preview_ready" ? current.previewUrl : null;
  const url = open && wanted ? waiting : null;
  useEffect(() => {
    if (waiting === null) setWanted(false);
  }, [waiting]);
  function close(): void {
    setWanted(false);
    // The first button of the bar is the one that opens the preview.
    requestAnimationFrame(() => place.root.querySelector<HTMLElement>(".bar .button")?.focus());
  }
  return {
    url,
    device,
    setDevice,
    toggle: () => (url === null ? setWanted(waiting !== null) : close()),
    close,
  };
}
