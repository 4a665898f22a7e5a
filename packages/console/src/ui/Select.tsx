import type { ReactElement, Ref } from "react";

import { Field, type FieldProps } from "./Field.tsx";

export interface SelectProps<V extends string> extends Omit<FieldProps, "note"> {
  value: V;
  options: readonly { value: V; label: string }[];
  onChange(value: V): void;
  disabled?: boolean;
  name?: string;
  ref?: Ref<HTMLSelectElement>;
}

/** A choice between several options, with its label. */
export function Select<V extends string>(props: SelectProps<V>): ReactElement {
  const { label, hint, error, visuallyHiddenLabel, aside, options, onChange, ...select } = props;
  return (
    <Field {...{ label, hint, error, visuallyHiddenLabel, aside }}>
      {(control) => (
        <select {...control} {...select} onChange={(event) => onChange(event.target.value as V)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
