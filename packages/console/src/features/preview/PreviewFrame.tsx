import { type ReactElement, useEffect, useState } from "react";

import { downloadFile } from "./download-file.ts";
import { type FrameKey, frameMessages } from "./frame-protocol.ts";
import { openPath } from "./open-path.ts";
import { previewAddress } from "./preview-url.ts";
import type { Preview } from "./preview.ts";
import { PreviewStage } from "./PreviewStage.tsx";
import { PreviewTools } from "./PreviewTools.tsx";

export interface PreviewFrameProps {
  preview: Preview;
  /** Where the preview begins. */
  url: string;
  path: string;
  /** How much of the right edge the dock covers, in px. */
  inset: number;
  /** A key pressed in the frame outside of text fields. */
  onKey(key: FrameKey): void;
}

/** The build that would go live, in a frame over the page next to the dock. */
export function PreviewFrame(props: PreviewFrameProps): ReactElement {
  const { preview, url, onKey } = props;
  // The address that the frame was sent to, and where its links have led since.
  const [sent, setSent] = useState({ path: props.path, turn: 0 });
  const [path, setPath] = useState(props.path);
  const { frame } = preview;
  useEffect(() => {
    if (frame === null) return;
    const link = frameMessages(frame, {
      ready: (message) => setPath(message.path),
      key: (message) => onKey(message.key),
      link: (message) => openPath(frame, url, message.path),
      file: (message) => downloadFile(url, message.path),
    });
    return () => link.close();
  }, [frame, onKey, url]);
  function go(next: string): void {
    setPath(next);
    setSent({ path: next, turn: sent.turn + 1 });
  }
  const address = previewAddress(url, sent.path, location.href);
  return (
    <section className="preview" aria-label="Preview" style={{ right: props.inset }}>
      <PreviewTools
        path={path}
        address={previewAddress(url, path, location.href)}
        preview={preview}
        onPath={go}
      />
      {address === null ? (
        <p className="stage">Couldn’t open the preview.</p>
      ) : (
        <PreviewStage key={sent.turn} address={address} path={path} preview={preview} onPath={go} />
      )}
    </section>
  );
}
