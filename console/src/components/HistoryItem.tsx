import { type ReactElement, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import { plainText } from "../plain-text.ts";
import type { Run } from "../types.ts";
import { ago, changeCount } from "../words.ts";
import { Confirm } from "./Confirm.tsx";
import { Notice } from "./Notice.tsx";
import { wordOf } from "./outcome.ts";

/** One run of the history: state, time, instruction, files, and what can be done with it. */
export function HistoryItem(props: {
  run: Run;
  onOpen(): void;
  onRun(runId: string): void;
}): ReactElement {
  const { run } = props;
  const { api } = useConsole();
  const action = useAction();
  const [asking, setAsking] = useState(false);
  const start = (name: "retry" | "restore"): void => {
    setAsking(false);
    void action.perform(name, async () => props.onRun(await api[name](run.id)));
  };
  const retryable = run.status === "failed" || run.status === "interrupted";
  const files = run.filesChanged.length > 0 ? changeCount(run.filesChanged) : null;
  return (
    <li className="entry">
      <p className="meta">
        <b className={`word ${run.status}`}>{wordOf(run)}</b>
        <time dateTime={run.createdAt} title={new Date(run.createdAt).toLocaleString()}>
          {ago(run.createdAt, Date.now())}
        </time>
        {files && <span>{files}</span>}
        {run.pageUrl !== null && <span className="page">{plainText(run.pageUrl)}</span>}
      </p>
      <button type="button" className="open" onClick={props.onOpen}>
        {plainText(run.instruction)}
      </button>
      {action.error && <Notice error={action.error} kept="The site is as it was." />}
      {asking ? (
        <Confirm
          question="Take this change back?"
          yes="Restore"
          no="Keep"
          busy={action.pending !== null}
          onYes={() => start("restore")}
          onNo={() => setAsking(false)}
        >
          <p className="quiet">
            Restore prepares a new change that undoes it. You see a preview before it goes live.
          </p>
        </Confirm>
      ) : (
        <div className="actions">
          {run.status === "published" && (
            <button
              type="button"
              className="button small"
              disabled={action.pending !== null}
              onClick={() => setAsking(true)}
            >
              Restore
            </button>
          )}
          {retryable && (
            <button
              type="button"
              className="button small"
              disabled={action.pending !== null}
              onClick={() => start("retry")}
            >
              Retry
            </button>
          )}
        </div>
      )}
    </li>
  );
}
