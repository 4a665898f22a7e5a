import { type ReactElement, useState } from "react";

import { PreviewStage } from "./PreviewStage.tsx";
import { PreviewTools } from "./PreviewTools.tsx";
import { type Device, previewAddress } from "./preview-address.ts";

export interface PreviewFrameProps {
  previewUrl: string;
  path: string;
  device: Device;
  /** How much of the right edge the dock takes, in px. */
  inset: number;
  onDevice(device: Device): void;
  onClose(): void;
}

/** The build that would go live, in a frame over the page and beside the dock. */
export function PreviewFrame(props: PreviewFrameProps): ReactElement {
  const [path, setPath] = useState(props.path);
  const [turn, setTurn] = useState(0);
  const address = previewAddress(props.previewUrl, path, location.href);
  return (
    <section className="preview" aria-label="Preview" style={{ right: props.inset }}>
      <PreviewTools
        path={path}
        address={address}
        device={props.device}
        onDevice={props.onDevice}
        onPath={(next) => {
          setPath(next);
          setTurn(turn + 1);
        }}
        onClose={props.onClose}
      />
      {address === null ? (
        <p className="stage">The preview’s address can’t be opened.</p>
      ) : (
        <PreviewStage key={turn} address={address} path={path} device={props.device} />
      )}
    </section>
  );
}
