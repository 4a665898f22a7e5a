import { type ReactElement, type ReactNode, useId } from "react";

/** One of several as radio buttons; null is the choice to leave it open. */
export function RadioGroup<O extends { value: string | null }>(props: {
  legend: string;
  /** Classes of the group and of each choice. */
  className: string;
  optionClassName: string;
  options: readonly O[];
  chosen: O["value"];
  onChoose(value: O["value"]): void;
  /** What stands beside the button of a choice. */
  children(option: O): ReactNode;
  /** More about a choice, read after its name. */
  description?(option: O): ReactNode;
  /** What stands below that. */
  after?(option: O): ReactNode;
}): ReactElement {
  const { options, chosen, description } = props;
  const name = useId();
  return (
    <fieldset className={props.className}>
      <legend>{props.legend}</legend>
      {options.map((option) => {
        const { value } = option;
        const note = `${name}-${value}`;
        return (
          <label key={value} className={props.optionClassName}>
            <input
              type="radio"
              name={name}
              value={value ?? ""}
              checked={chosen === value}
              aria-describedby={description && note}
              onChange={() => props.onChoose(value)}
            />
            {props.children(option)}
            {description && (
              <span className="muted" id={note}>
                {description(option)}
              </span>
            )}
            {props.after?.(option)}
          </label>
        );
      })}
    </fieldset>
  );
}
