import { type ReactElement, useState } from "react";

import { useAction } from "../../api/useAction.ts";
import { runAnnouncement } from "../../features/qa/labels.ts";
import type { QaRunEnd } from "../../features/qa/run-stream.ts";
import { useRunSteps } from "../../features/qa/useRunSteps.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { RunStyles } from "../RunStyles.tsx";
import css from "./qa-tab.css?inline";
import { QaList } from "./QaList.tsx";
import { QaState } from "./QaState.tsx";
import { useQa } from "./useQa.ts";

/** Begins a pass, or ends the one that runs; one button, so that the focus stays on it. */
function Tools(): ReactElement {
  const { api, overview, refresh } = useQa();
  const action = useAction();
  const [stopped, setStopped] = useState<number | null>(null);
  const running = overview?.currentRun ?? null;
  const { pending, error } = action;
  const act = (name: string, work: () => Promise<void>): void =>
    void action.perform(name, async () => {
      await work();
      refresh();
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
      {error !== null && <RefusalNotice error={error} kept="The findings are as they were." />}
    </>
  );
}

/** What is wrong with this page and with the others, and what can be done about it. */
export function QaTab({ onAside }: { onAside(): void }): ReactElement {
  const { overview, error, refresh } = useQa();
  // What came of the pass and of what was pressed, for who listens.
  const [said, say] = useState("");
  const [unfinished, setUnfinished] = useState<QaRunEnd | null>(null);
  const running = overview?.currentRun ?? null;
  const steps = useRunSteps(running, (end) => {
    if (end !== null) say(runAnnouncement(end));
    setUnfinished(end?.status === "failed" ? end : null);
    refresh();
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
        <RefusalNotice
          error={error}
          {...(overview === null ? {} : { kept: "What is shown is from before." })}
        >
          <Button variant="small" onClick={refresh}>
            Retry
          </Button>
        </RefusalNotice>
      )}
      <div className="history tasks qa" role="region" aria-label="QA" tabIndex={0}>
        {unfinished !== null && running === null && (
          <Notice kind="error" quiet>
            {`The pass has failed. ${plainText(unfinished.error ?? "")} What was found before is kept.`}
          </Notice>
        )}
        {overview === null && error === null && <Skeleton count={6} shape="line" />}
        <QaState steps={steps} />
        {overview?.lastRun && <QaList onAside={onAside} onAnnounce={say} />}
      </div>
    </>
  );
}
