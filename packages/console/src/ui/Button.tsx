import type { ReactElement, ReactNode, Ref } from "react";

import { Icon, type IconName } from "./Icon.tsx";

export interface ButtonProps {
  children?: ReactNode;
  onClick?(): void;
  type?: "button" | "submit";
  /** The id of the form that a submit button outside of it belongs to. */
  form?: string;
  /** The weight of the action; plain unless told. */
  variant?: "primary" | "danger" | "bare" | "small";
  icon?: IconName;
  /** The name of a button that shows an icon only; where text is shown, a longer name that starts with it. */
  label?: string;
  disabled?: boolean;
  /** Nothing to do just now, but stays in the tab order, so that the focus is not lost. */
  inert?: boolean;
  /** Under way: stays in the tab order, does nothing, and says so by `aria-busy`. */
  busy?: boolean;
  /** For a button that opens something: whether that is open. */
  expanded?: boolean;
  /** For a button that stays down: whether it is. */
  pressed?: boolean;
  /** A name to find it by, for what gives it the focus. */
  mark?: string;
  describedBy?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that does something at once. */
export function Button(props: ButtonProps): ReactElement {
  const { variant, icon, busy = false, inert = false, children, mark } = props;
  const names = ["button", variant, children === undefined && "square", mark]
    .filter(Boolean)
    .join(" ");
  return (
    <button
      ref={props.ref ?? null}
      type={props.type ?? "button"}
      form={props.form}
      className={names}
      disabled={props.disabled ?? false}
      aria-label={props.label}
      title={children === undefined ? props.label : undefined}
      aria-busy={busy || undefined}
      aria-disabled={busy || inert || undefined}
      aria-expanded={props.expanded}
      aria-pressed={props.pressed}
      aria-describedby={props.describedBy}
      onClick={(event) => {
        if (busy || inert) event.preventDefault();
        else props.onClick?.();
      }}
    >
      {busy && <span className="spinner" />}
      {icon && !busy && <Icon name={icon} />}
      {children}
    </button>
  );
}
