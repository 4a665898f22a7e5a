import { type ReactElement, useEffect, useRef } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { downloadFile } from "../../../preview/download-file.ts";
import { frameMessages } from "../../../preview/frame-protocol.ts";
import { openPath } from "../../../preview/open-path.ts";

/** The private page in a frame over the editor. */
export function PreviewDialog(props: { address: string; onClose(): void }): ReactElement {
  const close = useRef<HTMLButtonElement>(null);
  // Inside the frame, the page would handle Esc.
  useEffect(() => close.current?.focus(), []);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const { current } = frame;
    const [root] = /^.*?\/_preview\/[^/]+\//.exec(props.address) ?? [];
    if (current === null || root === undefined) return;
    const link = frameMessages(current, {
      link: (message) => openPath(current, root, message.path),
      file: (message) => downloadFile(root, message.path),
    });
    return () => link.close();
  }, [props.address]);
  return (
    <Dialog
      size="wide"
      title="Preview"
      onClose={props.onClose}
      actions={
        <>
          <a className="button" href={props.address} target="_blank" rel="noopener">
            <Icon name="external" />
            Open in a tab
          </a>
          <Button ref={close} variant="primary" onClick={props.onClose}>
            Close
          </Button>
        </>
      }
    >
      <iframe
        ref={frame}
        className="preview-page"
        title="Preview of the page"
        src={props.address}
        sandbox="allow-scripts"
      />
    </Dialog>
  );
}
