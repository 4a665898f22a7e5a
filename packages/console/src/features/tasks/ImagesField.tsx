import { type ReactElement, useRef, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import type { MediaItem } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Dropzone, MediaButton } from "../media/Dropzone.tsx";
import { Thumbnail } from "../media/Thumbnail.tsx";
import { UploadList } from "../media/UploadList.tsx";
import type { Uploads } from "../media/useUploads.ts";
import { LibraryDialog } from "../projects/editor/gallery/LibraryDialog.tsx";

interface FieldProps {
  images: readonly MediaItem[];
  uploads: Uploads;
  error: string | null;
  /** Why not all of what was given goes along. */
  refused: string | null;
  onFiles(files: readonly File[]): void;
  onGiven(media: readonly MediaItem[]): void;
  onRemove(media: MediaItem): void;
}

/** The pictures that go along with a task: from the media library, or uploaded to it here. */
export function ImagesField(props: FieldProps): ReactElement {
  const { images, uploads, error, refused } = props;
  const [choosing, setChoosing] = useState(false);
  const announce = useAnnounce();
  const chooser = useRef<HTMLButtonElement>(null);
  return (
    <fieldset className="task-attach">
      <legend>Pictures</legend>
      <Dropzone onFiles={props.onFiles}>
        {images.length > 0 && (
          <ul className="task-images" aria-label="Pictures that go along">
            {images.map((media) => (
              <li key={media.id}>
                <Thumbnail media={media} width={96} />
                <span className="task-image-name">{media.originalName}</span>
                <Button
                  variant="bare"
                  icon="cross"
                  label={`Remove ${media.originalName}`}
                  onClick={() => {
                    props.onRemove(media);
                    announce(`${media.originalName} does not go along.`);
                    chooser.current?.focus();
                  }}
                />
              </li>
            ))}
          </ul>
        )}
        <UploadList uploads={uploads} />
        {refused && <Notice kind="warn">{refused}</Notice>}
        <div className="actions">
          <MediaButton label="Upload pictures" onFiles={props.onFiles}>
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
            announce(`${formatCount(media.length, "picture")} chosen.`);
          }}
        />
      )}
    </fieldset>
  );
}
