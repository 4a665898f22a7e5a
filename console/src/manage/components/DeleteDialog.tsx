import type { ReactElement, ReactNode } from "react";

import { asClientError } from "../client.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { focusHeading } from "./focus.ts";

interface Removal<T> {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  mutate(item: T, options: { onSuccess(): void }): void;
}

/** Asks once whether an item is to go. Its row goes with it, so the focus goes to the heading. */
export function DeleteDialog<T>(props: {
  item: T;
  name: string;
  remove: Removal<T>;
  /** What goes, and what stays. */
  children: ReactNode;
  onClose(): void;
}): ReactElement {
  const { item, remove, onClose } = props;
  const onSuccess = (): void => {
    onClose();
    focusHeading();
  };
  return (
    <ConfirmDialog
      danger
      question={`Delete “${props.name}”?`}
      yes="Delete"
      busy={remove.isPending}
      error={remove.isError ? asClientError(remove.error).message : null}
      onNo={onClose}
      onYes={() => remove.mutate(item, { onSuccess })}
    >
      {props.children}
    </ConfirmDialog>
  );
}
