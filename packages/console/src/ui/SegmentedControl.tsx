import { type ReactElement, useId } from "react";

import { Icon, type IconName } from "./Icon.tsx";

interface Segment<V> {
  value: V;
  label: string;
  count?: number | undefined;
  /** What it means, on pointing at it. */
  title?: string;
  /** Stands for the label, which is then only said. */
  icon?: IconName;
}

/** One of a few, all in sight; the arrow keys move between them. */
export function SegmentedControl<V extends string>(props: {
  legend: string;
  value: V;
  options: readonly Segment<V>[];
  /** A class of its own. */
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
