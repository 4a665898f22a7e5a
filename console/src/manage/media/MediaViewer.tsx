import type { ReactElement } from "react";

import { Button } from "../components/Button.tsx";
import { Dialog } from "../components/Dialog.tsx";
import { fileAddress } from "../components/Thumbnail.tsx";
import type { ListedMedia } from "../types.ts";
import { mediaFacts } from "./facts.ts";

/** A stored file by itself: a picture as large as the window allows, a film to be played. */
export function MediaViewer(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  return (
    <Dialog
      size="wide"
      title={item.originalName}
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {item.kind === "video" ? (
        <video
          className="viewer"
          src={fileAddress(item.src)}
          poster={item.poster === null ? undefined : fileAddress(item.poster)}
          width={item.width}
          height={item.height}
          aria-label={item.alt || item.originalName}
          controls
          muted
          playsInline
          preload="metadata"
          data-autofocus
        />
      ) : (
        <img
          className="viewer"
          src={fileAddress(item.src)}
          alt={item.alt}
          width={item.width}
          height={item.height}
        />
      )}
      <p className="muted">{mediaFacts(item)}</p>
    </Dialog>
  );
}
