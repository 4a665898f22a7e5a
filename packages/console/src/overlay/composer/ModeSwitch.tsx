import { type ReactElement, useId } from "react";

import type { Mode } from "../../api/types.ts";

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

/** Whether the instruction builds on the preview that is ready, or on the site as it is live. */
export function FollowUpSwitch(props: {
  anew: boolean;
  onAnew(anew: boolean): void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className="segments further">
      <legend className="unseen">What this builds on</legend>
      <label title="Goes on from the preview that is ready">
        <input
          type="radio"
          name={name}
          checked={!props.anew}
          onChange={() => props.onAnew(false)}
        />
        <span>Change this further</span>
      </label>
      <label title="Begins with the site as it is live; the preview stays in the history">
        <input type="radio" name={name} checked={props.anew} onChange={() => props.onAnew(true)} />
        <span>Start anew</span>
      </label>
    </fieldset>
  );
}
