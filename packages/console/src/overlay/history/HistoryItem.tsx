import { type ReactElement, useState } from "react";

import type { Run } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { ConfirmRestore, type RestoreMode } from "../../features/runs/ConfirmRestore.tsx";
import { formatRelativeTime, changeSummary, pageName } from "../../features/runs/labels.ts";
import { outcomeLabel } from "../../features/runs/outcome.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";
import { RefusalNotice } from "../../features/errors/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { taskLabel } from "../../features/tasks/counts.ts";
import { useConsoleState } from "../useConsoleState.ts";

const retryable = new Set(["failed", "interrupted", "cancelled"]);

/**
 * A run in the history: state, time, instruction, files, and actions. Tasks are retried, not their
 * runs.
 */
export function HistoryItem(props: {
  run: Run;
  /** The number of changes published since; after the newest one, there is nothing to restore. */
  since: number;
  onOpen(run: Run): void;
  /** Called when a run starts; null if another one has continued this one. */
  onRun: ((runId: string) => void) | null;
}): ReactElement {
  const { run, onRun } = props;
  return (
    <>
      <Meta run={run} takenUp={onRun === null} />
      <button type="button" className="open" onClick={() => props.onOpen(run)}>
        <span>{plainText(run.instruction)}</span>
      </button>
      {onRun !== null && <ItemActions run={run} since={props.since} onRun={onRun} />}
    </>
  );
}

function Meta({ run, takenUp }: { run: Run; takenUp: boolean }): ReactElement {
  return (
    <p className="meta">
      <b className={`word ${run.status}`}>{takenUp ? "Continued" : outcomeLabel(run)}</b>
      <time dateTime={run.createdAt} title={new Date(run.createdAt).toLocaleString()}>
        {formatRelativeTime(run.createdAt, Date.now())}
      </time>
      {run.filesChanged.length > 0 && <span>{changeSummary(run.filesChanged)}</span>}
      {run.pageUrl !== null && <span className="page">{pageName(plainText(run.pageUrl))}</span>}
      {run.task !== null && <TaskLink id={run.task.id} />}
    </p>
  );
}

/** A link to a run's task. */
function TaskLink({ id }: { id: number }): ReactElement {
  const { showTask } = useConsoleState();
  return (
    <button type="button" className="link" onClick={() => showTask(id)}>
      {taskLabel(id)}
    </button>
  );
}

function ItemActions(props: { run: Run; since: number; onRun(runId: string): void }): ReactElement {
  const { run, onRun } = props;
  const api = useRunsApi();
  const action = useAction();
  const [asking, setAsking] = useState<RestoreMode | null>(null);
  const busy = action.pending !== null;

  function restore(mode: RestoreMode): void {
    setAsking(null);
    action.perform("restore", async () => onRun(await api.restore(run.id, mode)));
  }
  return (
    <>
      {action.error && <RefusalNotice error={action.error} note="The site is unchanged." />}
      {asking !== null && (
        <ConfirmRestore
          mode={asking}
          since={props.since}
          onYes={() => restore(asking)}
          onNo={() => setAsking(null)}
        />
      )}
      {run.status === "published" && (
        <div className="actions">
          {props.since > 0 && (
            <Button variant="small" disabled={busy} onClick={() => setAsking("version")}>
              Restore
            </Button>
          )}
          <Button variant="small" disabled={busy} onClick={() => setAsking("undo")}>
            Undo only this
          </Button>
        </div>
      )}
      {run.task === null && retryable.has(run.status) && (
        <div className="actions">
          <Button
            variant="small"
            disabled={busy}
            onClick={() => action.perform("retry", async () => onRun(await api.retry(run.id)))}
          >
            {run.canContinue ? "Continue" : "Retry"}
          </Button>
        </div>
      )}
    </>
  );
}
