import type { ReactElement } from "react";

import type { QaRun } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Elapsed } from "../tasks/Elapsed.tsx";
import { formatElapsed } from "../tasks/task-times.ts";
import { triggerLabel } from "./labels.ts";
import type { QaRunSteps } from "./useRunSteps.ts";

const stateLabels = { waiting: "Not yet: ", running: "In progress: ", done: "Done: " } as const;

/** The current QA run, step by step. */
export function RunProgress(props: { run: QaRun; steps: QaRunSteps | null }): ReactElement {
  const { run, steps } = props;
  const progress = steps?.progress ?? null;
  return (
    <section className="qa-running" aria-labelledby="qa-running">
      <h2 id="qa-running">Checking the site</h2>
      <p className="muted quiet qa-facts">
        <span>Started {triggerLabel(run)} </span>
        <Elapsed
          ticking
          skew={0}
          tell={(now) => formatElapsed(Math.max(0, now - Date.parse(run.startedAt)))}
        />
        {progress !== null && <span>{formatCount(progress.findings, "finding")} so far</span>}
      </p>
      <ol className="qa-steps">
        {(steps?.steps ?? []).map(({ name, label, state, counted }) => (
          <li key={name} data-state={state}>
            <span className="qa-step-sign">
              {state === "running" && <span className="spinner" />}
              {state === "done" && <Icon name="check" />}
            </span>
            <span>
              <span className="unseen">{stateLabels[state]}</span>
              {label}
            </span>
            {counted !== null && <span className="qa-counted">{counted}</span>}
          </li>
        ))}
      </ol>
      <p className="qa-at muted quiet" aria-hidden="true">
        {progress?.at ? plainText(progress.at) : "\u00a0"}
      </p>
    </section>
  );
}
