import { type ReactElement, type ReactNode, useId, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Dialog, type DialogProps } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import type { EditedForm } from "./useForm.ts";

/** A form in a dialog, to be saved or left. What was typed is not lost by a key. */
export function FormDialog<F extends object>(
  props: Pick<DialogProps, "title" | "size" | "children"> & {
    edited: EditedForm<F>;
    /** What sends the form. */
    yes?: ReactNode;
    /** What a refusal that belongs to no field means. */
    refused?: string;
    onClose(): void;
  },
): ReactElement {
  const { edited, onClose } = props;
  const formId = useId();
  const [asking, setAsking] = useState(false);
  const busy = edited.status === "saving";
  const leave = (): void => (edited.losable && !busy ? setAsking(true) : onClose());
  return (
    <Dialog
      title={props.title}
      size={props.size ?? "normal"}
      onClose={leave}
      actions={
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} busy={busy}>
            {props.yes ?? "Save"}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        ref={edited.element}
        noValidate
        onSubmit={edited.submit}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }}
      >
        {props.children}
        {edited.refusal && (
          <Notice kind="error" title={props.refused ?? "It was not saved."}>
            {edited.refusal.message}
          </Notice>
        )}
      </form>
      {asking && (
        <ConfirmDialog
          danger
          question="Throw away what you typed?"
          yes="Throw away"
          no="Keep editing"
          busy={false}
          onYes={onClose}
          onNo={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}
