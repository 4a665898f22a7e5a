import { type ReactElement, useState } from "react";

import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { RunStyles } from "../components/RunStyles.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { useAction } from "../hooks/useAction.ts";
import { plainText } from "../plain-text.ts";
import css from "../styles/dock-qa.css?inline";
import { QaList } from "./QaList.tsx";
import { QaState } from "./QaState.tsx";
import type { PassEnd } from "./pass-stream.ts";
import { usePassSteps } from "./usePassSteps.ts";
import { useQa } from "./useQa.ts";
import { passNews } from "./words.ts";

/** Begins a pass, or ends the one that runs; one button, so that the focus stays on it. */
function Tools(): ReactElement {
  const { api, overview, look } = useQa();
  const action = useAction();
  const [stopped, setStopped] = useState<number | null>(null);
  const running = overview?.running ?? null;
  const { pending, error } = action;
  const act = (name: string, work: () => Promise<void>): void =>
    void action.perform(name, async () => {
      await work();
      look();
    });
  return (
    <>
      <div className="task-tools">
        {running === null ? (
          <Button onClick={() => act("run", api.run)}>
            {pending === "run" ? "Beginning…" : "Run now"}
          </Button>
        ) : (
          <Button
            onClick={() =>
              act("stop", async () => {
                await api.stop(running.id);
                setStopped(running.id);
              })
            }
          >
            {pending === "stop" || stopped === running.id ? "Stopping…" : "Stop"}
          </Button>
        )}
        <a href="/admin/qa">Open the report</a>
      </div>
      {error !== null && <Notice error={error} kept="The findings are as they were." />}
    </>
  );
}

/** What is wrong with this page and with the others, and what can be done about it. */
export function QaTab({ onAside }: { onAside(): void }): ReactElement {
  const { overview, error, look } = useQa();
  // What came of the pass and of what was pressed, for who listens.
  const [said, say] = useState("");
  const [unfinished, setUnfinished] = useState<PassEnd | null>(null);
  const running = overview?.running ?? null;
  const steps = usePassSteps(running, (end) => {
    if (end !== null) say(passNews(end));
    setUnfinished(end?.status === "failed" ? end : null);
    look();
  });
  return (
    <>
      <RunStyles />
      <style>{css}</style>
      <span className="unseen" role="status">
        {said}
      </span>
      <Tools />
      {error !== null && (
        <Notice
          error={error}
          {...(overview === null ? {} : { kept: "What is shown is from before." })}
        >
          <Button look="small" onClick={look}>
            Retry
          </Button>
        </Notice>
      )}
      <div className="history tasks qa" role="region" aria-label="QA" tabIndex={0}>
        {unfinished !== null && running === null && (
          <p className="notice">
            {`The pass has failed. ${plainText(unfinished.error ?? "")} What was found before is kept.`}
          </p>
        )}
        {overview === null && error === null && <Skeleton lines={6} />}
        <QaState steps={steps} />
        {overview?.last && <QaList onAside={onAside} onSay={say} />}
      </div>
    </>
  );
}
