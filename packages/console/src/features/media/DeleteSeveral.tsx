import { type ReactElement, useState } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { formatCount } from "../../ui/format.ts";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { type KeptFile, useDeleteSeveral } from "./useMedia.ts";

function Kept(props: {
  kept: readonly KeptFile[];
  deleted: number;
  onClose(): void;
}): ReactElement {
  const { kept, deleted } = props;
  return (
    <Dialog
      alert
      title={`${formatCount(kept.length, "file")} couldn’t be deleted`}
      onClose={props.onClose}
      actions={
        <Button variant="primary" onClick={props.onClose}>
          Close
        </Button>
      }
    >
      {deleted > 0 && <p>{formatCount(deleted, "file")} deleted. These are still here:</p>}
      <ul className="used-in">
        {kept.map(({ item, reason }) => (
          <li key={item.id}>
            <b>{item.originalName}</b>: {reason}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Asks for confirmation before several files are deleted; those that couldn't be stay, with the reason. */
export function DeleteSeveral(props: {
  items: readonly ListedMedia[];
  onDone(): void;
  onClose(): void;
}): ReactElement {
  const { items, onDone, onClose } = props;
  const remove = useDeleteSeveral();
  const [kept, setKept] = useState<readonly KeptFile[]>([]);
  if (kept.length > 0) {
    return <Kept kept={kept} deleted={items.length - kept.length} onClose={onDone} />;
  }
  const used = items.filter(({ usedBy }) => usedBy.length > 0).length;
  return (
    <RemovalDialog
      item={items}
      remove={{
        ...remove,
        mutate: (wanted, { onSuccess }) =>
          remove.mutate(wanted, {
            onSuccess: (refused) => (refused.length > 0 ? setKept(refused) : onSuccess()),
          }),
      }}
      question={`Delete ${formatCount(items.length, "file")}?`}
      yes="Delete"
      onClose={onClose}
      onDone={onDone}
    >
      <p>The files and their smaller versions are deleted permanently.</p>
      {used > 0 && (
        <p>
          {used === 1 ? "1 of them is" : `${used} of them are`} used by a project and won’t be
          deleted.
        </p>
      )}
    </RemovalDialog>
  );
}
