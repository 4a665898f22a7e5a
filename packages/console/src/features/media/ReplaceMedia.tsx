import type { ReactElement } from "react";

import { asApiError } from "../../api/client.ts";
import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FileButton } from "../../ui/FileButton.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { acceptedFiles } from "./upload-rules.ts";
import { useReplace } from "./useMedia.ts";

/** Replaces an item's file by a new one, wherever the item is shown. */
export function ReplaceMedia(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  const { replace, progress } = useReplace(item);
  const error = replace.isError ? asApiError(replace.error) : null;
  const noun = item.kind === "image" ? "image" : "video";
  return (
    <Dialog
      title={`Replace “${item.originalName}”`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{replace.isPending ? "Close" : "Cancel"}</Button>
          <FileButton
            icon="upload"
            variant="primary"
            accept={acceptedFiles}
            multiple={false}
            busy={replace.isPending}
            onFiles={([file]) => {
              if (file) replace.mutate(file, { onSuccess: onClose });
            }}
          >
            Choose new {noun}
          </FileButton>
        </>
      }
    >
      <p>
        The new {noun} appears wherever this one is used once the site is updated. The alt text
        stays{item.kind === "image" ? ", and the focal point if the shape is the same" : ""}. The
        old file is deleted.
      </p>
      {replace.isPending && (
        <progress className="upload-progress" value={progress ?? undefined} max={1}>
          Uploading…
        </progress>
      )}
      <ErrorState what={`Couldn’t replace the ${noun}.`} error={error} />
    </Dialog>
  );
}
