import { type ReactElement, useEffect, useRef, useState } from "react";

import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { RunStyles } from "../components/RunStyles.tsx";
import { useAction } from "../hooks/useAction.ts";
import css from "../styles/dock-qa.css?inline";
import { QaList } from "./QaList.tsx";
import { QaState } from "./QaState.tsx";
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

/** Words about results, for who listens. */
function useSaid(): { said: string; say(words: string): void } {
  const [said, setSaid] = useState("");
  const { overview } = useQa();
  const last = overview?.last ?? null;
  const before = useRef(last?.id);
  useEffect(() => {
    const known = before.current;
    before.current = last?.id;
    if (last && known !== undefined && known !== last.id) setSaid(passNews(last));
  }, [last]);
  return { said, say: setSaid };
}

/** What is wrong with this page and with the others, and what can be done about it. */
export function QaTab({ onAside }: { onAside(): void }): ReactElement {
  const { overview, error, look } = useQa();
  const steps = usePassSteps(overview?.running ?? null, look);
  const { said, say } = useSaid();
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
        <QaState steps={steps} />
        {overview?.last && <QaList onAside={onAside} onSay={say} />}
      </div>
    </>
  );
}
