import type { HTMLInputTypeAttribute, ReactElement, Ref } from "react";

import { Field, type FieldProps } from "./Field.tsx";
import { useFieldNote } from "./FieldNotes.tsx";

export interface TextInputProps extends Omit<FieldProps, "note"> {
  value: string;
  onChange(value: string): void;
  onBlur?(): void;
  type?: HTMLInputTypeAttribute;
  maxLength?: number;
  required?: boolean;
  placeholder?: string;
  autoComplete?: string;
  /** The focus starts here. */
  autoFocus?: boolean;
  inputMode?: "text" | "url" | "search" | "numeric";
  /** The ID of a datalist with suggestions. */
  list?: string;
  name?: string;
  ref?: Ref<HTMLInputElement>;
}

/** A single-line text field with its label. */
export function TextInput(props: TextInputProps): ReactElement {
  const { label, hint, error, visuallyHiddenLabel, aside, onChange, autoFocus, ...input } = props;
  const note = useFieldNote(props.name);
  return (
    <Field {...{ label, hint, error, visuallyHiddenLabel, aside, note }}>
      {(control) => (
        <input
          type="text"
          autoComplete="off"
          {...control}
          {...input}
          data-autofocus={autoFocus || undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
