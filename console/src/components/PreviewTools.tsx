import { type ReactElement, useEffect, useRef, useState } from "react";

import { Button } from "./Button.tsx";
import { DeviceSwitch } from "./DeviceSwitch.tsx";
import { Icon } from "./Icon.tsx";
import type { Device } from "./preview-address.ts";

/** The row over the preview: close, address, reload, size, open in a tab. */
export function PreviewTools(props: {
  path: string;
  address: string | null;
  device: Device;
  onDevice(device: Device): void;
  /** Goes to a page, or loads the same one again. */
  onPath(path: string): void;
  onClose(): void;
}): ReactElement {
  const [typed, setTyped] = useState(props.path);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  return (
    <form
      className="tools"
      onSubmit={(event) => {
        event.preventDefault();
        props.onPath(typed);
      }}
    >
      <Button ref={close} onClick={props.onClose}>
        <Icon name="cross" />
        <span className="unseen">Close the preview</span>
      </Button>
      <label className="address">
        <span className="unseen">Page in the preview</span>
        <input
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Button onClick={() => props.onPath(props.path)}>
        <Icon name="reload" />
        <span className="unseen">Reload the preview</span>
      </Button>
      <DeviceSwitch device={props.device} onDevice={props.onDevice} />
      {props.address !== null && (
        <a className="button" href={props.address} target="_blank" rel="noopener noreferrer">
          <Icon name="external" />
          <span className="unseen">Open the preview in a tab</span>
        </a>
      )}
    </form>
  );
}
