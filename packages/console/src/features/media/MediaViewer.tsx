import type { KeyboardEvent, ReactElement } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { mediaDetails } from "./media-details.ts";
import { fileAddress } from "./Thumbnail.tsx";

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Which way an arrow key leads; null for other keys, and in a video, through which they move. */
function stepOf(event: KeyboardEvent<HTMLElement>): number | null {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  return event.target instanceof HTMLVideoElement ? null : (steps[event.key] ?? null);
}

function Preview({ item }: { item: ListedMedia }): ReactElement {
  const shown = { className: "viewer", width: item.width, height: item.height };
  const src = fileAddress(item.src);
  if (item.kind === "image") return <img {...shown} src={src} alt={item.alt} />;
  return (
    <video
      {...shown}
      src={src}
      poster={item.poster === null ? undefined : fileAddress(item.poster)}
      aria-label={item.alt || item.originalName}
      controls
      muted
      playsInline
      preload="metadata"
      data-autofocus
    />
  );
}

/**
 * A single stored file: an image as large as the window allows, or a video player. Buttons and arrow
 * keys lead to its neighbors in `items`, after the last to the first.
 */
export function MediaViewer(props: {
  item: ListedMedia;
  items: readonly ListedMedia[];
  onView(item: ListedMedia): void;
  onClose(): void;
}): ReactElement {
  const { item, items, onView, onClose } = props;
  const at = items.findIndex(({ id }) => id === item.id);
  const hasNeighbors = at >= 0 && items.length > 1;
  const go = (step: number): void => {
    const next = items[(at + step + items.length) % items.length];
    if (hasNeighbors && next) onView(next);
  };
  return (
    <Dialog
      size="wide"
      title={item.originalName}
      onClose={onClose}
      onKeyDown={(event) => {
        const step = stepOf(event);
        if (step === null) return;
        event.preventDefault();
        go(step);
      }}
      actions={
        <>
          {hasNeighbors && <Button onClick={() => go(-1)}>Previous</Button>}
          {hasNeighbors && <Button onClick={() => go(1)}>Next</Button>}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <Preview key={item.id} item={item} />
      <p className="muted" aria-live="polite">
        {hasNeighbors ? `${at + 1} of ${items.length} · ` : ""}
        {mediaDetails(item)}
      </p>
    </Dialog>
  );
}
