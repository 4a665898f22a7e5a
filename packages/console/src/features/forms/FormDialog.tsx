import { type ReactElement, type ReactNode, useId, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Dialog, type DialogProps } from "../../ui/Dialog.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { FormState } from "./useForm.ts";

/** A form in a dialog. Pressing a key doesn't lose the input. */
export function FormDialog(
  props: Pick<DialogProps, "title" | "size" | "children"> & {
    edited: FormState;
    /** The label of the submit button. */
    yes?: ReactNode;
    /** Whether what it does can't be undone. */
    danger?: boolean;
    /** The title of an error that belongs to no field. */
    refused?: string;
    onClose(): void;
  },
): ReactElement {
  const { edited, onClose } = props;
  const variant = props.danger ? "danger" : "primary";
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
          <Button variant={variant} type="submit" form={formId} busy={busy}>
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
        <ErrorState what={props.refused ?? "Couldn’t save changes."} error={edited.refusal} />
      </form>
      {asking && (
        <ConfirmDialog
          danger
          question="Discard your changes?"
          yes="Discard"
          no="Keep editing"
          busy={false}
          onYes={onClose}
          onNo={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}
