import type { ReactElement, ReactNode } from "react";

import { asApiError } from "../../api/client.ts";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { focusHeading } from "../../ui/focus.ts";

interface Removal<T> {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  mutate(item: T, options: { onSuccess(): void }): void;
}

interface RemovalProps<T> {
  item: T;
  remove: Removal<T>;
  /** What is deleted, and what stays. */
  children: ReactNode;
  onClose(): void;
  /** Called after deleting, if closing the dialog isn't enough. */
  onDone?(): void;
}

/**
 * Asks for confirmation before something ends. Its row disappears, so the focus moves to the
 * heading.
 */
export function RemovalDialog<T>(
  props: RemovalProps<T> & { question: string; yes: string },
): ReactElement {
  const { item, remove, onClose } = props;
  const onSuccess = (): void => {
    (props.onDone ?? onClose)();
    focusHeading();
  };
  return (
    <ConfirmDialog
      danger
      question={props.question}
      yes={props.yes}
      busy={remove.isPending}
      error={remove.isError ? asApiError(remove.error).message : null}
      onNo={onClose}
      onYes={() => remove.mutate(item, { onSuccess })}
    >
      {props.children}
    </ConfirmDialog>
  );
}

/** Asks for confirmation before an item is deleted. */
export function DeleteDialog<T>({
  name,
  ...props
}: RemovalProps<T> & { name: string }): ReactElement {
  return <RemovalDialog {...props} question={`Delete “${name}”?`} yes="Delete" />;
}
