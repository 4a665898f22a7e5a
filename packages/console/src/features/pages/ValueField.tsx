import { type ReactElement, useState } from "react";

import { fieldSentence } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { MoveButtons } from "../../ui/MoveButtons.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { Sortable, useSortableRow } from "../forms/Sortable.tsx";
import { newKey } from "../projects/editor/keyed-list.ts";
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

/** A service, which is the one entry that the site shows in several places. */
const isService = (path: string, value: unknown): boolean =>
  /^services\.\d+$/.test(path) && isObject(value) && "price" in value;

/** Takes an entry out of its list; a service only once that is confirmed. */
function RemoveEntry(props: {
  path: string;
  value: unknown;
  name: string;
  onRemove(): void;
}): ReactElement {
  const { path, value, name, onRemove } = props;
  const [isAsking, setAsking] = useState(false);
  const href = isObject(value) ? value["href"] : undefined;
  const ask = isService(path, value);
  return (
    <>
      <Button label={`Remove ${name}`} onClick={ask ? () => setAsking(true) : onRemove}>
        Remove
      </Button>
      {isAsking && (
        <ConfirmDialog
          danger
          question={`Delete the service “${name}”?`}
          yes="Delete service"
          onNo={() => setAsking(false)}
          onYes={() => {
            setAsking(false);
            onRemove();
          }}
        >
          <p>
            Its text and price are removed from the services page and the home page. Nothing is
            deleted from the live site until you publish the preview.
          </p>
          {typeof href === "string" && href.startsWith("/services/") && (
            <p>The page {href} stays. You can delete it in the list of pages.</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

type ListProps = ValueFieldProps & { value: readonly unknown[] };

/** The entries' changes, and for each a key that it keeps while it is moved. */
function useEntries({ value, onChange }: ListProps) {
  const [known, setKeys] = useState(() => value.map(newKey));
  const keys = value.map((_, index) => known[index] ?? `more-${index}`);
  return {
    keys,
    move(from: number, to: number): void {
      setKeys(moved(keys, from, to));
      onChange(moved(value, from, to));
    },
    remove(index: number): void {
      setKeys(keys.toSpliced(index, 1));
      onChange(value.toSpliced(index, 1));
    },
    add(entry: unknown): void {
      setKeys([...keys, newKey()]);
      onChange([...value, entry]);
    },
  };
}

function Entry(
  props: ListProps & {
    id: string;
    index: number;
    model: unknown;
    entries: ReturnType<typeof useEntries>;
  },
): ReactElement {
  const { path, value, index, entries, onChange } = props;
  const item = value[index];
  const name = entryName(item, index);
  const { row, grip } = useSortableRow(props.id, name);
  return (
    <div className="pages-entry" {...row}>
      {grip}
      <div className="pages-entry-fields">
        <ValueField
          {...props}
          label={name}
          path={`${path}.${index}`}
          value={item}
          sample={props.model}
          onChange={(next) => onChange(value.with(index, next))}
        />
        <div className="actions">
          <MoveButtons
            noun={name}
            index={index}
            count={value.length}
            onMove={(to) => entries.move(index, to)}
          />
          <RemoveEntry
            path={`${path}.${index}`}
            value={item}
            name={name}
            onRemove={() => entries.remove(index)}
          />
        </div>
      </div>
    </div>
  );
}

function ListField(props: ListProps): ReactElement {
  const { label, path, value, sample, errors } = props;
  const entries = useEntries(props);
  const model = value[0] ?? (Array.isArray(sample) ? sample[0] : undefined);
  const items = entries.keys.map((id, index) => ({ id, name: entryName(value[index], index) }));
  return (
    <fieldset className="plain pages-list">
      <legend>{label}</legend>
      {errors[path] && <p className="field-error">{fieldSentence(errors[path])}</p>}
      <Sortable items={items} onMove={({ from, to }) => entries.move(from, to)}>
        {items.map(({ id }, index) => (
          <Entry key={id} {...props} id={id} index={index} model={model} entries={entries} />
        ))}
      </Sortable>
      {model !== undefined && (
        <div className="actions">
          <Button
            icon="add"
            label={`Add entry to ${label}`}
            onClick={() => entries.add(emptied(model))}
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
  const shown = isService(path, value) ? { ...value, hidden: value["hidden"] === true } : value;
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
