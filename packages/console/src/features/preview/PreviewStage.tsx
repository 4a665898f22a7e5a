import { type ReactElement, useState } from "react";

import { lazyComponent } from "../../ui/lazy-component.tsx";
import { useSize } from "../../ui/useSize.ts";
import { devices, scaleToFit } from "./preview-url.ts";
import type { Preview } from "./preview.ts";

const Compare = lazyComponent(async () => (await import("./Compare.tsx")).Compare);

/**
 * The preview at a device's size, scaled down to fit. Its content isn't trusted: scripts run with
 * an opaque origin, without the owner's session.
 */
export function PreviewStage(props: {
  address: string;
  /** The current page. */
  path: string;
  preview: Preview;
  onPath(path: string): void;
}): ReactElement {
  const { device, comparing, frame, setFrame } = props.preview;
  const [stage, size] = useSize();
  const [loaded, setLoaded] = useState(false);
  const { width, height } = devices[device];
  const scale = scaleToFit(device, size.width, size.height);
  const full = { width: "100%", height: "100%" };
  const style = width === null ? full : { width, height, transform: `scale(${scale})` };
  return (
    <div className={`stage ${device}`} ref={stage} aria-busy={!loaded}>
      <div
        className={comparing ? "fit comparing" : "fit"}
        style={width === null ? full : { width: width * scale, height: height * scale }}
      >
        <iframe
          ref={setFrame}
          title={`Preview of ${props.path}`}
          src={props.address}
          sandbox="allow-scripts"
          style={style}
          onLoad={() => setLoaded(true)}
        />
        {comparing && (
          <Compare frame={frame} path={props.path} style={style} onPath={props.onPath} />
        )}
      </div>
    </div>
  );
}
