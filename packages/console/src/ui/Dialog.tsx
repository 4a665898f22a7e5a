import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from "react";

import { focusHeading } from "./focus.ts";

export interface DialogProps {
  title: ReactNode;
  children: ReactNode;
  /** Esc, or the browser's Back on a phone. */
  onClose(): void;
  /** The buttons at the end. */
  actions?: ReactNode;
  size?: "normal" | "wide";
  /** Keys besides those of the dialog and its controls. */
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
  /** A question with consequences; its text is announced immediately. */
  alert?: boolean;
}

/**
 * A modal dialog: the rest of the page is inert, the focus starts at the element with `autoFocus`
 * or the first control, and returns afterwards.
 */
export function Dialog(props: DialogProps): ReactElement {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const root = element?.getRootNode() as Document | ShadowRoot | undefined;
    const origin = root?.activeElement;
    if (element && !element.open) element.showModal();
    element?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      // It is unmounted next; closing it first makes the rest of the page available again.
      element?.close();
      if (!(origin instanceof HTMLElement)) return;
      if (origin.isConnected) origin.focus();
      else focusHeading();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={props.size === "wide" ? "dialog wide" : "dialog"}
      role={props.alert ? "alertdialog" : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={props.alert ? `${id}-body` : undefined}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        props.onClose();
      }}
      onClose={(event) => {
        // Browsers close it when Esc is pressed repeatedly, but it stays open as long as the page
        // wants it.
        const element = event.currentTarget;
        if (event.target !== element) return;
        props.onClose();
        setTimeout(() => {
          if (element.isConnected && !element.open) element.showModal();
        });
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        props.onKeyDown?.(event);
      }}
    >
      <h2 id={`${id}-title`}>{props.title}</h2>
      <div className="dialog-body" id={`${id}-body`}>
        {props.children}
      </div>
      {props.actions && <div className="dialog-actions">{props.actions}</div>}
    </dialog>
  );
}
