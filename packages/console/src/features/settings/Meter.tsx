import { type ReactElement, useId } from "react";

/** How much of a limit is used; without a limit only the text. */
export function Meter(props: {
  label: string;
  value: number;
  ceiling: number | null;
  /** The text for one amount, or for the used and the total amount. */
  words(amount: string): string;
  number(amount: number): string;
}): ReactElement {
  const id = useId();
  const { value, ceiling, words, number } = props;
  const part = ceiling === null ? 0 : Math.min(1, value / ceiling);
  const text = words(ceiling === null ? number(value) : `${number(value)} of ${number(ceiling)}`);
  const level = part >= 1 ? "full" : part >= 0.8 ? "high" : "low";
  return (
    <div className="meter" data-level={level}>
      <p>
        <span id={id}>{props.label}</span> <b>{text}</b>
      </p>
      {ceiling !== null && (
        <div
          role="meter"
          aria-labelledby={id}
          aria-valuemin={0}
          aria-valuemax={ceiling}
          aria-valuenow={Math.min(value, ceiling)}
          aria-valuetext={text}
        >
          <span style={{ inlineSize: `${part * 100}%` }} />
        </div>
      )}
    </div>
  );
}
