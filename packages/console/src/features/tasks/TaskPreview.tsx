import { type ReactElement, useState } from "react";

import type { FrameKey } from "../preview/frame-protocol.ts";
import { type Device, devices } from "../preview/preview-url.ts";
import type { Preview } from "../preview/preview.ts";
import { PreviewFrame } from "../preview/PreviewFrame.tsx";

/** The state of the framed preview. */
function useFramed(url: string, close: () => void): Preview {
  const [device, setDevice] = useState<Device>("full");
  const [comparing, setComparing] = useState(false);
  const [frame, setFrame] = useState<HTMLIFrameElement | null>(null);
  return {
    url,
    takesFocus: true,
    device,
    comparing,
    frame,
    setDevice,
    setFrame,
    compare: () => setComparing(!comparing),
    toggle: close,
    close,
  };
}

/** The preview of a task's change, framed over the board and next to the task's details. */
export function TaskPreview(props: {
  url: string;
  path: string;
  /** The task's title. */
  title: string;
  /** How much of the right edge the details cover, in px. */
  inset: number;
  onClose(): void;
}): ReactElement {
  const { onClose } = props;
  const preview = useFramed(props.url, onClose);
  const { setDevice, compare } = preview;
  const onKey = (key: FrameKey): void => {
    const names = Object.keys(devices) as Device[];
    const device = names[Number(key) - 1];
    if (device) setDevice(device);
    else if (key === "Escape" || key === "p") onClose();
    else if (key === "d") compare();
  };
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <h1 className="unseen">Preview of “{props.title}”</h1>
      <PreviewFrame
        preview={preview}
        url={props.url}
        path={props.path}
        inset={props.inset}
        onKey={onKey}
      />
    </div>
  );
}
