import type { ReactElement } from "react";

import { asApiError, type ApiError } from "../../api/client.ts";
import type { ListedMedia, MediaUse } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { DeleteDialog } from "../forms/DeleteDialog.tsx";
import { useDeleteMedia } from "./useMedia.ts";

interface Uses {
  projects: readonly MediaUse[];
  files: readonly string[];
  /** The IDs of unpublished runs. */
  runs: readonly string[];
}

/** Where the file is used, according to an error; null for other errors. */
function usesIn(error: ApiError): Uses | null {
  if (error.code !== "in_use") return null;
  const { projects = [], files = [], runs = [] } = (error.details ?? {}) as Partial<Uses>;
  return { projects, files, runs };
}

function InUse(props: { item: ListedMedia; uses: Uses; onClose(): void }): ReactElement {
  const { projects, files, runs } = props.uses;
  return (
    <Dialog
      alert
      title={`“${props.item.originalName}” is in use`}
      onClose={props.onClose}
      actions={
        <Button variant="primary" onClick={props.onClose}>
          Close
        </Button>
      }
    >
      <p>Remove it from these places first. Then you can delete it.</p>
      <ul className="used-in">
        {projects.map(({ id, name }) => (
          <li key={id}>
            Project <a href={`/admin/projects/edit?id=${id}`}>{name}</a>
          </li>
        ))}
        {files.map((file) => (
          <li key={file}>
            Site source <code>{file}</code>
          </li>
        ))}
        {runs.map((id) => (
          <li key={id}>
            An unpublished change, under <a href="/admin/runs">Runs</a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Asks for confirmation before deleting a file; one that is in use stays, and says where. */
export function DeleteMedia(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  const remove = useDeleteMedia();
  const error = remove.isError ? asApiError(remove.error) : null;
  const known = item.usedBy.length > 0 ? { projects: item.usedBy, files: [], runs: [] } : null;
  const uses = (error && usesIn(error)) ?? known;
  if (uses) return <InUse item={item} uses={uses} onClose={onClose} />;
  return (
    <DeleteDialog item={item} name={item.originalName} remove={remove} onClose={onClose}>
      <p>The file and its smaller versions are deleted permanently.</p>
    </DeleteDialog>
  );
}
