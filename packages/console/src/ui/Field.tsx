import { type ReactElement, type ReactNode, useId } from "react";

/** The props of a field's control that connect it with label, hint, and error. */
export interface ControlProps {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

export interface FieldProps {
  label: ReactNode;
  /** What is expected, below the label. */
  hint?: ReactNode;
  /** The current error. */
  error?: string | null | undefined;
  /** Shows the label only to screen readers. */
  visuallyHiddenLabel?: boolean | undefined;
  /** Next to the label, such as a count. */
  aside?: ReactNode;
  /** A remark that isn't an error. */
  note?: ReactNode;
}

/** A labeled control with its hint and its error. */
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
