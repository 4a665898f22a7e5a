import type { ReactElement } from "react";

import { Icon } from "../../ui/Icon.tsx";
import type { StepState } from "./run-view.ts";

const stateLabels: Readonly<Record<StepState, string>> = {
  running: "In progress: ",
  done: "Done: ",
  failed: "Failed: ",
  stopped: "Stopped: ",
};

/** A step's state, as a sign for the eye and a word for the ear. */
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
