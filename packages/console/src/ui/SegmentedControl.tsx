import { type ReactElement, useId } from "react";

/** One of a few, all in sight; the arrow keys move between them. */
export function SegmentedControl<V extends string>(props: {
  legend: string;
  value: V;
  options: readonly { value: V; label: string; count?: number | undefined }[];
  onChange(value: V): void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">{props.legend}</legend>
      {props.options.map(({ value, label, count }) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>
            {label} {count !== undefined && <span className="count">{count}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
