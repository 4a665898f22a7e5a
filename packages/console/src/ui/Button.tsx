import type { ReactElement, ReactNode, Ref } from "react";

import { Icon, type IconName } from "./Icon.tsx";

export interface ButtonProps {
  children?: ReactNode;
  onClick?(): void;
  type?: "button" | "submit";
  /** The ID of the form of a submit button outside it. */
  form?: string;
  /** The importance of the action; plain by default. */
  variant?: "primary" | "danger" | "bare" | "small";
  icon?: IconName;
  /** The name of an icon-only button; for a button with text, a longer name that starts with it. */
  label?: string;
  disabled?: boolean;
  /** Disabled, but stays in the tab order, so that the focus isn't lost. */
  inert?: boolean;
  /** In progress: stays in the tab order, does nothing, and has `aria-busy`. */
  busy?: boolean;
  /** For a button that opens something: whether that is open. */
  expanded?: boolean;
  /** For a toggle button: whether it is pressed. */
  pressed?: boolean;
  /** A name for finding it, to set the focus. */
  mark?: string;
  describedBy?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an immediate action. */
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
