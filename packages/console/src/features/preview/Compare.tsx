import { type CSSProperties, type ReactElement, useEffect, useState } from "react";

import { CompareSlider } from "./CompareSlider.tsx";
import { openLiveFile } from "./download-file.ts";
import { frameMessages } from "./frame-protocol.ts";
import { openPath } from "./open-path.ts";
import { useCompareSync } from "./useCompareSync.ts";
import { livePreviewUrl, useLivePage } from "./useLivePage.ts";

/** The live site under the preview, with a slider between them; both scroll together. */
export function Compare(props: {
  /** The preview's frame. */
  frame: HTMLIFrameElement | null;
  path: string;
  style: CSSProperties;
  /** Called when a link is followed on the live side, so that the preview follows. */
  onPath(path: string): void;
}): ReactElement {
  const { path } = props;
  const [live, setLive] = useState<HTMLIFrameElement | null>(null);
  const page = useLivePage(path);
  useCompareSync({ preview: props.frame, live, sent: page.path }, path, props.onPath);
  useEffect(() => {
    if (live === null) return;
    const link = frameMessages(live, {
      link: (message) => openPath(live, livePreviewUrl, message.path),
      file: (message) => openLiveFile(message.path),
    });
    return () => link.close();
  }, [live]);
  return (
    <>
      {page.address !== null && (
        <iframe
          ref={setLive}
          className="live"
          title={`Live version of ${path}`}
          src={page.address}
          sandbox="allow-scripts"
          style={props.style}
        />
      )}
      {page.error !== null && (
        <p className="live missing" role="status">
          {page.error}
        </p>
      )}
      <CompareSlider />
    </>
  );
}
