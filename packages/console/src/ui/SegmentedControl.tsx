import { type ReactElement, useId } from "react";

import { Icon, type IconName } from "./Icon.tsx";

interface Segment<V> {
  value: V;
  label: string;
  count?: number | undefined;
  /** Its tooltip. */
  title?: string;
  /** Replaces the visible label. */
  icon?: IconName;
}

/** A choice between a few visible options; the arrow keys move between them. */
export function SegmentedControl<V extends string>(props: {
  legend: string;
  value: V;
  options: readonly Segment<V>[];
  /** Its own class. */
  look?: string;
  onChange(value: V): void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className={`segments ${props.look ?? ""}`}>
      <legend className="unseen">{props.legend}</legend>
      {props.options.map(({ value, label, count, title, icon }) => (
        <label key={value} title={title}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>
            {icon && <Icon name={icon} />}
            {icon ? <span className="unseen">{label}</span> : label}{" "}
            {count !== undefined && <span className="count">{count}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
