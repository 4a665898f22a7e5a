import type { ReactElement } from "react";

import { plainText } from "../../plain-text.ts";
import type { PassSteps as Steps } from "../../qa/usePassSteps.ts";
import { triggerWords } from "../../qa/words.ts";
import type { Pass } from "../../types.ts";
import { count } from "../../words.ts";
import { Icon } from "../components/Icon.tsx";
import { Elapsed } from "../tasks/Elapsed.tsx";
import { lasting } from "../tasks/time-words.ts";

const stateWords = { waiting: "Not yet: ", running: "Under way: ", done: "Done: " } as const;

/** The pass that runs, step by step. */
export function PassSteps(props: { pass: Pass; steps: Steps | null }): ReactElement {
  const { pass, steps } = props;
  const progress = steps?.progress ?? null;
  return (
    <section className="qa-running" aria-labelledby="qa-running">
      <h2 id="qa-running">Looking at the site</h2>
      <p className="muted qa-facts">
        <span>Begun {triggerWords(pass)} </span>
        <Elapsed
          ticking
          skew={0}
          tell={(now) => lasting(Math.max(0, now - Date.parse(pass.startedAt)))}
        />
        {progress !== null && <span>{count(progress.found, "finding")} so far</span>}
      </p>
      <ol className="qa-steps">
        {(steps?.steps ?? []).map(({ name, label, state, counted }) => (
          <li key={name} data-state={state}>
            <span className="qa-step-sign">
              {state === "running" && <span className="spinner" />}
              {state === "done" && <Icon name="check" />}
            </span>
            <span>
              <span className="unseen">{stateWords[state]}</span>
              {label}
            </span>
            {counted !== null && <span className="qa-counted">{counted}</span>}
          </li>
        ))}
      </ol>
      <p className="qa-at muted" aria-hidden="true">
        {progress?.at ? plainText(progress.at) : "\u00a0"}
      </p>
    </section>
  );
}
