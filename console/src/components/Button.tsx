import type { ReactElement, ReactNode, Ref } from "react";

export interface ButtonProps {
  children: ReactNode;
  onClick(): void;
  look?: "primary" | "bare" | "small";
  disabled?: boolean;
  /** For a button that opens something: whether that is open. */
  expanded?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that does something at once, in the console's looks. */
export function Button(props: ButtonProps): ReactElement {
  return (
    <button
      ref={props.ref ?? null}
      type="button"
      className={props.look ? `button ${props.look}` : "button"}
      disabled={props.disabled ?? false}
      aria-expanded={props.expanded}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
