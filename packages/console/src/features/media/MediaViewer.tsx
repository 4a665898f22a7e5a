import type { ReactElement } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { mediaDetails } from "./media-details.ts";
import { fileAddress } from "./Thumbnail.tsx";

/** A single stored file: an image as large as the window allows, or a video player. */
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
      <p className="muted">{mediaDetails(item)}</p>
    </Dialog>
  );
}
