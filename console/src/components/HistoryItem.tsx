import { type ReactElement, useState } from "react";

import { useConsole } from "../context.ts";
import { useAction } from "../hooks/useAction.ts";
import { plainText } from "../plain-text.ts";
import type { Run } from "../types.ts";
import { ago, changeCount } from "../words.ts";
import { Button } from "./Button.tsx";
import { Confirm } from "./Confirm.tsx";
import { Notice } from "./Notice.tsx";
import { wordOf } from "./outcome.ts";

const retryable = new Set(["failed", "interrupted", "cancelled"]);

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
  const busy = action.pending !== null;
  function start(name: "retry" | "restore"): void {
    setAsking(false);
    void action.perform(name, async () =>
      props.onRun(await (name === "retry" ? api.retry(run.id) : api.restore(run.id, "undo"))),
    );
  }
  return (
    <li className="entry">
      <Meta run={run} />
      <button type="button" className="open" onClick={props.onOpen}>
        <span>{plainText(run.instruction)}</span>
      </button>
      {action.error && <Notice error={action.error} kept="The site is as it was." />}
      {asking && (
        <ConfirmRestore busy={busy} onYes={() => start("restore")} onNo={() => setAsking(false)} />
      )}
      {!asking && run.status === "published" && (
        <div className="actions">
          <Button look="small" disabled={busy} onClick={() => setAsking(true)}>
            Restore
          </Button>
        </div>
      )}
      {retryable.has(run.status) && (
        <div className="actions">
          <Button look="small" disabled={busy} onClick={() => start("retry")}>
            Retry
          </Button>
        </div>
      )}
    </li>
  );
}

function Meta({ run }: { run: Run }): ReactElement {
  return (
    <p className="meta">
      <b className={`word ${run.status}`}>{wordOf(run)}</b>
      <time dateTime={run.createdAt} title={new Date(run.createdAt).toLocaleString()}>
        {ago(run.createdAt, Date.now())}
      </time>
      {run.filesChanged.length > 0 && <span>{changeCount(run.filesChanged)}</span>}
      {run.pageUrl !== null && <span className="page">{plainText(run.pageUrl)}</span>}
    </p>
  );
}

function ConfirmRestore(props: { busy: boolean; onYes(): void; onNo(): void }): ReactElement {
  return (
    <Confirm question="Take this change back?" yes="Restore" no="Keep" {...props}>
      <p className="quiet">
        The site goes back to how it was before this change. That is a new change, published at
        once, and can be taken back the same way.
      </p>
    </Confirm>
  );
}
