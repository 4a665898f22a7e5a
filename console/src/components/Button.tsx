import type { ReactElement, ReactNode, Ref } from "react";

export interface ButtonProps {
  children: ReactNode;
  onClick(): void;
  look?: "primary" | "bare" | "small";
  disabled?: boolean;
  /** For a button that opens something: whether that is open. */
  expanded?: boolean;
  /** For a button that stays down: whether it is. */
  pressed?: boolean;
  /** A name to find it by, for what gives it the focus. */
  mark?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that does something at once, in the console's looks. */
export function Button(props: ButtonProps): ReactElement {
  return (
    <button
      ref={props.ref ?? null}
      type="button"
      className={["button", props.look, props.mark].filter(Boolean).join(" ")}
      disabled={props.disabled ?? false}
      aria-expanded={props.expanded}
      aria-pressed={props.pressed}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
