import { type ReactElement, type ReactNode, useEffect, useId, useRef } from "react";

export interface InlineConfirmProps {
  question: string;
  children?: ReactNode;
  yes: string;
  no: string;
  danger?: boolean;
  busy: boolean;
  onYes(): void;
  onNo(): void;
}

/** Asks once, in place; the focus starts on the harmless answer and Esc gives it. */
export function InlineConfirm(props: InlineConfirmProps): ReactElement {
  const id = useId();
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <div
      className="confirm"
      role="alertdialog"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        props.onNo();
      }}
    >
      <p id={id}>
        <b>{props.question}</b>
      </p>
      {props.children}
      <div className="actions">
        <button ref={no} type="button" className="button" onClick={props.onNo}>
          {props.no}
        </button>
        <button
          type="button"
          className={props.danger ? "button danger" : "button primary"}
          disabled={props.busy}
          onClick={props.onYes}
        >
          {props.yes}
        </button>
      </div>
    </div>
  );
}
