import { type ReactElement, type ReactNode, useEffect, useRef } from "react";

import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { Notice } from "./Notice.tsx";

export interface ConfirmDialogProps {
  question: string;
  children?: ReactNode;
  yes: string;
  no?: string;
  danger?: boolean;
  busy?: boolean;
  /** Why the last attempt failed. */
  error?: string | null;
  onYes(): void;
  onNo(): void;
}

/** Asks for confirmation; the focus starts on the harmless answer, and Esc selects it. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <Dialog
      alert
      title={props.question}
      onClose={props.onNo}
      actions={
        <>
          <Button ref={no} onClick={props.onNo}>
            {props.no ?? "Cancel"}
          </Button>
          <Button
            variant={props.danger ? "danger" : "primary"}
            busy={props.busy ?? false}
            onClick={props.onYes}
          >
            {props.yes}
          </Button>
        </>
      }
    >
      {props.children}
      {props.error && <Notice kind="error">{props.error}</Notice>}
    </Dialog>
  );
}
