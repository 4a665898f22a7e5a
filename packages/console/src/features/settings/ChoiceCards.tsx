import { type ReactElement, type ReactNode, useId } from "react";

interface Choice<V> {
  value: V;
  label: string;
  about: string;
  /** What it looks like. */
  preview?: ReactNode;
}

/** A choice between cards with explanations; null is the choice to leave it open. */
export function ChoiceCards<V extends string | null>(props: {
  legend: string;
  choices: readonly Choice<V>[];
  chosen: V;
  /** An extra class, for cards that show more than text. */
  className?: string;
  onChoose(value: V): void;
}): ReactElement {
  const { choices, chosen, className = "" } = props;
  const name = useId();
  return (
    <fieldset className={`places ${className}`}>
      <legend>{props.legend}</legend>
      {choices.map(({ value, label, about, preview }) => (
        <label key={value} className="place">
          <input
            type="radio"
            name={name}
            value={value ?? ""}
            checked={chosen === value}
            aria-describedby={`${name}-${value}`}
            onChange={() => props.onChoose(value)}
          />
          <span className="place-name">{label}</span>
          <span className="muted" id={`${name}-${value}`}>
            {about}
          </span>
          {preview}
        </label>
      ))}
    </fieldset>
  );
}
