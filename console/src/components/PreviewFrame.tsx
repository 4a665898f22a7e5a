import { type ReactElement, useEffect, useRef, useState } from "react";

import { DeviceSwitch } from "./DeviceSwitch.tsx";
import { Icon } from "./Icon.tsx";
import { type Device, devices, previewAddress, scaleToFit } from "./preview-address.ts";

export interface PreviewFrameProps {
  previewUrl: string;
  path: string;
  device: Device;
  /** How much of the right edge the dock takes, in px. */
  inset: number;
  onDevice(device: Device): void;
  onClose(): void;
}

/** The size of an element's content box, as it changes. */
function useSize(): [(element: HTMLElement | null) => void, { width: number; height: number }] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, size];
}

/**
 * The build that would go live, in a frame over the page. What it holds is not trusted: its own
 * scripts may run, but as an origin of their own, without the owner's session.
 */
export function PreviewFrame(props: PreviewFrameProps): ReactElement {
  const [path, setPath] = useState(props.path);
  const [typed, setTyped] = useState(props.path);
  const [turn, setTurn] = useState(0);
  const [stage, size] = useSize();
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  const address = previewAddress(props.previewUrl, path, location.href);
  const device = devices[props.device];
  const scale = scaleToFit(props.device, size.width, size.height);
  return (
    <section className="preview" aria-label="Preview" style={{ right: props.inset }}>
      <form
        className="tools"
        onSubmit={(event) => {
          event.preventDefault();
          setPath(typed);
          setTurn(turn + 1);
        }}
      >
        <button ref={close} type="button" className="button" onClick={props.onClose}>
          <Icon name="cross" />
          <span className="unseen">Close the preview</span>
        </button>
        <label className="address">
          <span className="unseen">Page in the preview</span>
          <input
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <button type="button" className="button" onClick={() => setTurn(turn + 1)}>
          <Icon name="reload" />
          <span className="unseen">Reload the preview</span>
        </button>
        <DeviceSwitch device={props.device} onDevice={props.onDevice} />
        {address !== null && (
          <a className="button" href={address} target="_blank" rel="noopener noreferrer">
            <Icon name="external" />
            <span className="unseen">Open the preview in a tab</span>
          </a>
        )}
      </form>
      <div className={`stage ${props.device}`} ref={stage}>
        {address === null ? (
          <p>The preview’s address can’t be opened.</p>
        ) : (
          <div
            className="fit"
            style={
              device.width === null
                ? { width: "100%", height: "100%" }
                : { width: device.width * scale, height: device.height * scale }
            }
          >
            <iframe
              key={turn}
              title={`Preview of ${path}`}
              src={address}
              sandbox="allow-scripts"
              style={
                device.width === null
                  ? { width: "100%", height: "100%" }
                  : { width: device.width, height: device.height, transform: `scale(${scale})` }
              }
            />
          </div>
        )}
      </div>
    </section>
  );
}
