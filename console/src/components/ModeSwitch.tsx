import { type ReactElement, useId } from "react";

import type { Mode } from "../types.ts";

const modes: readonly { value: Mode; label: string; title: string }[] = [
  { value: "build", label: "Build", title: "Changes the site, privately until you publish" },
  { value: "ask", label: "Ask", title: "Only reads and answers" },
];

/** Whether the agent may change anything. */
export function ModeSwitch(props: { mode: Mode; onMode(mode: Mode): void }): ReactElement {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">Mode</legend>
      {modes.map(({ value, label, title }) => (
        <label key={value} title={title}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={props.mode === value}
            onChange={() => props.onMode(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
