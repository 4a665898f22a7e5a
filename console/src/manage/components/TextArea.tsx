import type { ReactElement, Ref } from "react";

import { Field, type FieldProps } from "./Field.tsx";
import { useFieldNote } from "./FieldNotes.tsx";

export interface TextAreaProps extends Omit<FieldProps, "note"> {
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
  /** Lines at least; it grows with its text where the browser can. */
  rows?: number;
  maxLength?: number;
  placeholder?: string;
  name?: string;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text with their label. */
export function TextArea(props: TextAreaProps): ReactElement {
  const { label, hint, error, unseenLabel, aside, value, onChange, ref, rows = 3, ...rest } = props;
  const note = useFieldNote(props.name);
  return (
    <Field {...{ label, hint, error, aside, note }} unseenLabel={unseenLabel ?? false}>
      {(control) => (
        <textarea
          {...control}
          {...rest}
          ref={ref ?? null}
          rows={rows}
          // A field that grows with its text would begin with one line.
          style={{ minHeight: `calc(${rows} * 1.5em + 16px)` }}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
