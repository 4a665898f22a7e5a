import { type ReactElement, useId } from "react";

import { Icon } from "../../ui/Icon.tsx";
import { type Device, devices } from "./preview-url.ts";

/** In which size the preview is looked at. */
export function DeviceSwitch(props: {
  device: Device;
  onDevice(device: Device): void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">Size</legend>
      {(Object.keys(devices) as Device[]).map((device) => (
        <label key={device} title={devices[device].label}>
          <input
            type="radio"
            name={name}
            checked={props.device === device}
            onChange={() => props.onDevice(device)}
          />
          <span>
            <Icon name={device} />
            <span className="unseen">{devices[device].label}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
