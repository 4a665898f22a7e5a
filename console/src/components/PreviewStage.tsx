import { type ReactElement, useState } from "react";

import { useSize } from "../hooks/useSize.ts";
import { type Device, devices, scaleToFit } from "./preview-address.ts";

/**
 * The preview in the size of a device, made smaller where it does not fit. What it holds is not
 * trusted: its scripts may run, but as an origin of their own, without the owner's session.
 */
export function PreviewStage(props: {
  address: string;
  path: string;
  device: Device;
}): ReactElement {
  const [stage, size] = useSize();
  const [loaded, setLoaded] = useState(false);
  const { width, height } = devices[props.device];
  const scale = scaleToFit(props.device, size.width, size.height);
  const full = { width: "100%", height: "100%" };
  return (
    <div className={`stage ${props.device}`} ref={stage} aria-busy={!loaded}>
      <div
        className="fit"
        style={width === null ? full : { width: width * scale, height: height * scale }}
      >
        <iframe
          title={`Preview of ${props.path}`}
          src={props.address}
          sandbox="allow-scripts"
          style={width === null ? full : { width, height, transform: `scale(${scale})` }}
          onLoad={() => setLoaded(true)}
        />
      </div>
    </div>
  );
}
