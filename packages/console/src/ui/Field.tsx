import { type ReactElement, type ReactNode, useId } from "react";

/** What a control of a field carries, so that label, hint and error belong to it. */
export interface ControlProps {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

export interface FieldProps {
  label: ReactNode;
  /** What is expected here, said below the label. */
  hint?: ReactNode;
  /** What is wrong with what is here now. */
  error?: string | null | undefined;
  /** The label is there for who does not see the page only. */
  visuallyHiddenLabel?: boolean | undefined;
  /** At the label's right, such as a count. */
  aside?: ReactNode;
  /** What is to be thought about, though nothing is wrong. */
  note?: ReactNode;
}

/** A labelled control with its hint and its error. */
export function Field(
  props: FieldProps & { children: (control: ControlProps) => ReactNode },
): ReactElement {
  const id = useId();
  const { hint, error, aside, note } = props;
  const described = [
    hint ? `${id}-hint` : "",
    error ? `${id}-error` : "",
    note ? `${id}-note` : "",
  ].filter(Boolean);
  return (
    <div className="field">
      <div className={props.visuallyHiddenLabel ? "unseen" : "field-head"}>
        <label htmlFor={id}>{props.label}</label>
        {aside}
      </div>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {props.children({
        id,
        ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
        ...(error && { "aria-invalid": true as const }),
      })}
      {note && (
        <div className="field-note" id={`${id}-note`}>
          {note}
        </div>
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
