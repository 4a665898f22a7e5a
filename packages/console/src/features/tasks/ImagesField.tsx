import { type ReactElement, useRef, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import type { MediaItem } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Dropzone, MediaButton } from "../media/Dropzone.tsx";
import { Thumbnail } from "../media/Thumbnail.tsx";
import { UploadList } from "../media/UploadList.tsx";
import type { Uploads } from "../media/usePageUploads.ts";
import { LibraryDialog } from "../projects/editor/gallery/LibraryDialog.tsx";

interface FieldProps {
  images: readonly MediaItem[];
  uploads: Uploads;
  error: string | null;
  /** Why some of the files weren't attached. */
  refused: string | null;
  onFiles(files: readonly File[]): void;
  onGiven(media: readonly MediaItem[]): void;
  onRemove(media: MediaItem): void;
  /**
   * Moves an image one place earlier; given if the order matters, because the images are a gallery.
   */
  onMoveEarlier?: ((media: MediaItem) => void) | undefined;
}

/** An attached image with its actions. */
function ImageItem(props: {
  media: MediaItem;
  isFirst: boolean;
  onRemove(): void;
  onMoveEarlier: (() => void) | null;
}): ReactElement {
  const { media, isFirst, onMoveEarlier } = props;
  return (
    <li>
      <Thumbnail media={media} width={96} />
      <span className="task-image-name">{media.originalName}</span>
      {onMoveEarlier && isFirst && <span className="hint">Cover</span>}
      {onMoveEarlier && (
        <Button
          variant="bare"
          icon="up"
          mark="task-image-move"
          label={`Move ${media.originalName} earlier`}
          inert={isFirst}
          onClick={onMoveEarlier}
        />
      )}
      <Button
        variant="bare"
        icon="cross"
        mark="task-image-remove"
        label={`Remove ${media.originalName}`}
        onClick={props.onRemove}
      />
    </li>
  );
}

/** The attached images, in order. */
function ImageList(
  props: Pick<FieldProps, "images" | "onRemove" | "onMoveEarlier">,
): ReactElement | null {
  const { images, onMoveEarlier } = props;
  const announce = useAnnounce();
  if (images.length === 0) return null;
  return (
    <ul className="task-images" aria-label="Attached images">
      {images.map((media, index) => (
        <ImageItem
          key={media.id}
          media={media}
          isFirst={index === 0}
          onRemove={() => props.onRemove(media)}
          onMoveEarlier={
            onMoveEarlier
              ? () => {
                  onMoveEarlier(media);
                  announce(`${media.originalName} is now image ${index}.`);
                }
              : null
          }
        />
      ))}
    </ul>
  );
}

/** The images of a task: from the media library, or uploaded here. */
export function ImagesField(props: FieldProps): ReactElement {
  const { images, uploads, error, refused, onMoveEarlier } = props;
  const [choosing, setChoosing] = useState(false);
  const announce = useAnnounce();
  const chooser = useRef<HTMLButtonElement>(null);
  return (
    <fieldset className="task-attach">
      <legend>{onMoveEarlier ? "Gallery images" : "Images"}</legend>
      {onMoveEarlier && (
        <p className="hint">
          The gallery shows these images in this order. The first is the cover. The agent writes a
          caption and alt text for each.
        </p>
      )}
      <Dropzone onFiles={props.onFiles}>
        <ImageList
          images={images}
          onMoveEarlier={onMoveEarlier}
          onRemove={(media) => {
            props.onRemove(media);
            announce(`${media.originalName} removed.`);
            chooser.current?.focus();
          }}
        />
        <UploadList uploads={uploads} />
        {refused && <Notice kind="warn">{refused}</Notice>}
        <div className="actions">
          <MediaButton label="Upload images" onFiles={props.onFiles}>
            Upload
          </MediaButton>
          <Button ref={chooser} icon="image" onClick={() => setChoosing(true)}>
            Choose from the library
          </Button>
        </div>
      </Dropzone>
      {error && (
        <p className="field-error" aria-invalid="true" tabIndex={-1}>
          {error}
        </p>
      )}
      {choosing && (
        <LibraryDialog
          several
          kind="image"
          onClose={() => setChoosing(false)}
          onChosen={(media) => {
            setChoosing(false);
            props.onGiven(media);
            announce(`${formatCount(media.length, "image")} chosen.`);
          }}
        />
      )}
    </fieldset>
  );
}
