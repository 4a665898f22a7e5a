import { type ReactElement, useId, useState } from "react";

import { asApiError } from "../../api/client.ts";
import { fieldSentence } from "../../api/field-errors.ts";
import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { useRename } from "./useMedia.ts";

/** Changes the name of a file that the owner sees; its address stays. */
export function RenameMedia(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  const form = useId();
  const rename = useRename(item);
  const [name, setName] = useState(item.originalName);
  const [isEmpty, setEmpty] = useState(false);
  const error = rename.isError ? asApiError(rename.error) : null;
  const submit = (): void => {
    setEmpty(name.trim() === "");
    if (name.trim() === "" || rename.isPending) return;
    if (name.trim() === item.originalName) onClose();
    else rename.mutate(name, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={`Rename “${item.originalName}”`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} busy={rename.isPending}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          label="Name"
          hint="Only you see it. The file’s address stays the same."
          value={name}
          maxLength={255}
          autoFocus
          error={
            isEmpty
              ? "Enter a name."
              : error && (fieldSentence(error.fields.originalName) ?? error.message)
          }
          onChange={setName}
        />
      </form>
    </Dialog>
  );
}
