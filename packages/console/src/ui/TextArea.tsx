import type { KeyboardEvent, ReactElement, Ref } from "react";

import { Field, type FieldProps } from "./Field.tsx";
import { useFieldNote } from "./FieldNotes.tsx";

export interface TextAreaProps extends Omit<FieldProps, "note"> {
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
  /** Minimum number of lines; it grows with its text if the browser supports that. */
  rows?: number;
  /** Without line breaks: a long line is wrapped. */
  line?: boolean;
  maxLength?: number;
  placeholder?: string;
  name?: string;
  ref?: Ref<HTMLTextAreaElement>;
}

function stayOnLine(event: KeyboardEvent): void {
  if (event.key === "Enter" && !event.nativeEvent.isComposing) event.preventDefault();
}

/** A multi-line text field with its label. */
export function TextArea(props: TextAreaProps): ReactElement {
  const { label, hint, error, visuallyHiddenLabel, aside, onChange, line, ...area } = props;
  const { rows = line ? 1 : 3 } = props;
  const note = useFieldNote(props.name);
  return (
    <Field {...{ label, hint, error, visuallyHiddenLabel, aside, note }}>
      {(control) => (
        <textarea
          {...control}
          {...area}
          rows={rows}
          // A field that grows with its text would start with one line.
          style={{ minHeight: `calc(${rows} * 1.5em + 16px)` }}
          onKeyDown={line ? stayOnLine : undefined}
          onChange={({ target }) =>
            onChange(line ? target.value.replace(/\s*\n\s*/g, " ") : target.value)
          }
        />
      )}
    </Field>
  );
}
