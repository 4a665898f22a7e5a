import type { ReactElement } from "react";

import { StateIcon } from "../components/StateIcon.tsx";
import { useNow } from "../hooks/useNow.ts";
import { lasting, since } from "../manage/tasks/time-words.ts";
import { plainText } from "../plain-text.ts";
import type { Pass } from "../types.ts";
import { count } from "../words.ts";
import type { PassSteps } from "./usePassSteps.ts";
import { useQa } from "./useQa.ts";
import { extentWords, openWords, tookWords, triggerWords } from "./words.ts";

/** The pass that runs, step by step. */
function Running(props: { pass: Pass; steps: PassSteps }): ReactElement {
  const { pass, steps } = props;
  const now = useNow(true);
  const { progress } = steps;
  const begun = steps.steps.filter(({ state }) => state !== "waiting");
  return (
    <section className="qa-run" aria-label="The pass that runs">
      <p>
        <b>Looking at the site</b>{" "}
        <span className="quiet">
          {lasting(Math.max(0, now - Date.parse(pass.startedAt)))}
          {progress !== null && `, ${count(progress.found, "finding")} so far`}
        </span>
      </p>
      <ol>
        {begun.map(({ name, label, state, counted }) => (
          <li key={name} className="step">
            <StateIcon state={state === "done" ? "done" : "running"} />
            <span className="title">{label}</span>
            {counted !== null && <span className="took">{counted}</span>}
          </li>
        ))}
      </ol>
      <p className="quiet qa-at" aria-hidden="true">
        {progress?.at ? plainText(progress.at) : "\u00a0"}
      </p>
    </section>
  );
}

function Last({ pass, open }: { pass: Pass; open: string }): ReactElement {
  const now = useNow(true);
  const ago = since(now - Date.parse(pass.finishedAt ?? pass.startedAt));
  return (
    <p className="qa-last">
      <b>{open}</b>
      <span className="quiet">
        {[`Last pass ${ago}, begun ${triggerWords(pass)}`, extentWords(pass), tookWords(pass)]
          .filter((words) => words !== null)
          .join(" · ")}
      </span>
    </p>
  );
}

/** How the passes stand: none yet, one that runs, the last. */
export function QaState({ steps }: { steps: PassSteps | null }): ReactElement | null {
  const { overview } = useQa();
  if (overview === null) return null;
  const { running, last } = overview;
  if (running === null && last === null) {
    return (
      <div className="empty">
        <p>
          The site has not been looked at yet. Run now follows every page and link as a visitor
          would, and changes nothing.
        </p>
      </div>
    );
  }
  return (
    <>
      {running && steps && <Running pass={running} steps={steps} />}
      {last && <Last pass={last} open={openWords(overview.open)} />}
    </>
  );
}
