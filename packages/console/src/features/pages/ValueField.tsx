import type { ReactElement } from "react";

import { fieldSentence } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { moved } from "../projects/order.ts";
import { emptied, entryName, isObject, labelOf } from "./values.ts";

const longKeys = /text|lead|description|summary|story|answer|note/i;

export interface ValueFieldProps {
  label: string;
  /** Its path in the file, such as `story.0`. */
  path: string;
  value: unknown;
  /** The value in the starter site, which shows what a new entry of an empty list looks like. */
  sample: unknown;
  errors: Readonly<Record<string, string>>;
  onChange(value: unknown): void;
}

function TextField(props: ValueFieldProps & { value: string }): ReactElement {
  const { label, path, value, onChange } = props;
  const error = fieldSentence(props.errors[path]);
  const shared = { label, value, error, onChange, maxLength: 20_000 };
  const isLong =
    value.length > 80 ||
    longKeys.test(
      path
        .replace(/\.\d+$/, "")
        .split(".")
        .at(-1)!,
    );
  return isLong ? <TextArea rows={2} {...shared} /> : <TextInput {...shared} />;
}

function ListField(props: ValueFieldProps & { value: readonly unknown[] }): ReactElement {
  const { label, path, value, sample, errors, onChange } = props;
  const model = value[0] ?? (Array.isArray(sample) ? sample[0] : undefined);
  return (
    <fieldset className="plain pages-list">
      <legend>{label}</legend>
      {errors[path] && <p className="field-error">{fieldSentence(errors[path])}</p>}
      {value.map((item, index) => {
        const name = entryName(item, index);
        return (
          <div className="pages-entry" key={index}>
            <ValueField
              {...props}
              label={name}
              path={`${path}.${index}`}
              value={item}
              sample={model}
              onChange={(next) => onChange(value.with(index, next))}
            />
            <div className="actions">
              <MoveButtons
                noun={name}
                index={index}
                count={value.length}
                onMove={(to) => onChange(moved(value, index, to))}
              />
              <Button label={`Remove ${name}`} onClick={() => onChange(value.toSpliced(index, 1))}>
                Remove
              </Button>
            </div>
          </div>
        );
      })}
      {model !== undefined && (
        <div className="actions">
          <Button
            icon="add"
            label={`Add entry to ${label}`}
            onClick={() => onChange([...value, emptied(model)])}
          >
            Add entry
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** A control for a value in a content file; values without one aren't shown. */
export function ValueField(props: ValueFieldProps): ReactElement | null {
  const { label, path, value, sample, onChange } = props;
  if (typeof value === "string") return <TextField {...props} value={value} />;
  if (Array.isArray(value)) return <ListField {...props} value={value} />;
  if (typeof value === "boolean") {
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={value}
          onChange={({ target }) => onChange(target.checked)}
        />{" "}
        {label}
      </label>
    );
  }
  if (!isObject(value)) return null;
  const isService = /^services\.\d+$/.test(path) && "price" in value;
  const shown = isService ? { ...value, hidden: value["hidden"] === true } : value;
  return (
    <fieldset className="plain pages-group">
      <legend>{label}</legend>
      {Object.entries(shown).map(([key, member]) => (
        <ValueField
          {...props}
          key={key}
          label={labelOf(key)}
          path={`${path}.${key}`}
          value={member}
          sample={isObject(sample) ? sample[key] : undefined}
          onChange={(next) => onChange({ ...value, [key]: next })}
        />
      ))}
    </fieldset>
  );
}
