import type { ReactElement } from "react";

import { Icon } from "../../ui/Icon.tsx";
import type { StepState } from "./run-view.ts";

const stateLabels: Readonly<Record<StepState, string>> = {
  running: "In progress: ",
  done: "Done: ",
  failed: "Failed: ",
  stopped: "Stopped: ",
};

/** A step's state as an icon, with a text for screen readers. */
export function StateIcon({ state }: { state: StepState }): ReactElement {
  return (
    <span className={`state ${state}`}>
      {state === "running" ? (
        <span className="spinner" />
      ) : (
        <Icon name={state === "done" ? "check" : state === "failed" ? "cross" : "stop"} />
      )}
      <span className="unseen">{stateLabels[state]}</span>
    </span>
  );
}
