import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { Time } from "../time/Time.tsx";
import { taskLabel } from "../tasks/counts.ts";
import { statusLabels } from "../tasks/labels.ts";
import { useFindingActions } from "./useFindingActions.ts";

interface StateProps {
  finding: QaFinding;
  onRerun(): void;
  /** Shows the task for a finding; otherwise it is a link. */
  onTask: ((id: number) => void) | undefined;
}

function TaskState(props: StateProps): ReactElement | null {
  const { finding, onRerun, onTask } = props;
  const { task } = finding;
  if (task === null) return finding.status === "queued" ? <p className="muted">Queued</p> : null;
  return (
    <div className="qa-task">
      <p>
        {onTask ? (
          <button type="button" className="link" onClick={() => onTask(task.id)}>
            {taskLabel(task.id)}
          </button>
        ) : (
          <a href={`/admin/tasks?task=${task.id}`}>{taskLabel(task.id)}</a>
        )}{" "}
        <span className="muted">{statusLabels[task.status]}</span>
      </p>
      {task.error !== null && (
        <p className="qa-said" dir="auto">
          {plainText(task.error)}
        </p>
      )}
      {finding.status === "queued" && (
        <Button label="Run QA again" onClick={onRerun}>
          Re-run
        </Button>
      )}
    </div>
  );
}

function Ignored({ finding }: { finding: QaFinding }): ReactElement | null {
  const { reopen } = useFindingActions();
  const { ignored } = finding;
  return (
    <div className="qa-why">
      {ignored && (
        <>
          <p dir="auto">{plainText(ignored.reason)}</p>
          <p className="muted qa-facts">
            <span>ignored by {plainText(ignored.by)}</span>
            <Time iso={ignored.at} dayOnly />
            <span>
              {ignored.until === null ? (
                "permanently"
              ) : (
                <>
                  until <Time iso={ignored.until} dayOnly />
                </>
              )}
            </span>
            {ignored.kind === "rule" && <span>by a rule for its check</span>}
          </p>
        </>
      )}
      <Button busy={reopen.isPending} onClick={() => reopen.mutate([finding])}>
        Reopen
      </Button>
      <ErrorState
        what="Couldn’t reopen the finding."
        error={reopen.error}
        note="It’s still ignored."
        busy={reopen.isPending}
        onRetry={() => reopen.mutate([finding])}
      />
    </div>
  );
}

/** A finding's state: its task, why it is ignored, or when it was fixed. */
export function FindingState(props: StateProps): ReactElement {
  const { finding } = props;
  const said = plainText(finding.instruction ?? "").trim();
  return (
    <>
      <TaskState {...props} />
      {finding.note !== null && <p className="qa-said">{plainText(finding.note)}</p>}
      {said !== "" && finding.status === "queued" && (
        <p className="muted qa-said" dir="auto">
          “{said}”
        </p>
      )}
      {finding.status === "ignored" && <Ignored finding={finding} />}
      {finding.status === "fixed" && (
        <p className="qa-fixed">
          Fixed{" "}
          {finding.fixedAt !== null && (
            <span className="muted">
              <Time iso={finding.fixedAt} />
            </span>
          )}
        </p>
      )}
    </>
  );
}
