import { type ReactElement, useEffect, useRef, useState } from "react";

import type { Task, TaskDetail } from "../../api/types.ts";
import { LiveRunLog } from "../../features/runs/LiveRunLog.tsx";
import type { Diffs } from "../../features/runs/LogItem.tsx";
import { UserMessage } from "../../features/runs/UserMessage.tsx";
import { useRun } from "../../features/runs/useRun.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { titleOf } from "../../features/tasks/labels.ts";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useNow } from "../../ui/useNow.ts";
import type { CurrentRun } from "../RunPanel.tsx";
import { taskLabel } from "./counts.ts";
import { TaskBar } from "./TaskBar.tsx";
import { TaskFacts } from "./TaskMeta.tsx";
import { useTask } from "./useTask.ts";
import { useTasks } from "./useTasks.ts";

/** What a task needs of the place where it is shown. */
export interface TaskPanelActions {
  diffs: Diffs;
  /** Tells which run is looked at; null where none is. */
  onRun(run: CurrentRun | null): void;
  onPreview(): void;
}

/** One task: what is asked for, what its run does, and what the owner can decide. */
export function TaskPanel(props: TaskPanelActions & { id: number; onBack(): void }): ReactElement {
  const { id, onRun } = props;
  const { clockOffsetMs } = useTasks();
  const [turn, setTurn] = useState("");
  const { task, detail, error, retry, update } = useTask(id, turn);
  const [chosen, setChosen] = useState<string | null>(null);
  const now = useNow(true) + clockOffsetMs;
  const back = useRef<HTMLButtonElement>(null);
  // What was pressed is gone: the focus goes to the way back.
  const toBack = (): void => back.current?.focus();
  useEffect(toBack, []);
  useShowRun(task, onRun);
  const runId = chosen ?? task?.run?.id ?? null;
  return (
    <>
      <div className="back row">
        <Button ref={back} variant="small" onClick={props.onBack}>
          Back to tasks
        </Button>
        <a href={`/admin/tasks?task=${id}`}>Open on the board</a>
      </div>
      {error !== null && (
        <RefusalNotice error={error}>
          <Button variant="small" onClick={retry}>
            Retry
          </Button>
        </RefusalNotice>
      )}
      {task === null && error === null && <Skeleton count={5} shape="line" />}
      {task !== null && (
        <>
          <TaskHead task={task} detail={detail} now={now} runId={runId} onChoose={setChosen} />
          {runId === null ? (
            <div className="log-frame">
              <div className="log" role="region" aria-label="This task" tabIndex={0}>
                <UserMessage text={plainText(task.instruction)} />
              </div>
            </div>
          ) : (
            <RunOfTask key={runId} runId={runId} diffs={props.diffs} onStatus={setTurn} />
          )}
          <TaskBar
            task={task}
            now={now}
            diffs={props.diffs}
            onTask={update}
            onPreview={props.onPreview}
            onGone={toBack}
          />
        </>
      )}
    </>
  );
}

/** What the task is, and which of its runs is shown; how it stands is said in the bar. */
function TaskHead(props: {
  task: Task;
  detail: TaskDetail | null;
  now: number;
  runId: string | null;
  onChoose(runId: string): void;
}): ReactElement {
  const { task, detail, now, runId } = props;
  return (
    <div className="task-head">
      <h3>
        {taskLabel(task.id)} · {titleOf(task)}
      </h3>
      <p className="meta">
        <TaskFacts task={task} now={now} />
      </p>
      {detail !== null && detail.runs.length > 1 && (
        <Attempts detail={detail} runId={runId} onChoose={props.onChoose} />
      )}
    </div>
  );
}

/** The preview that is shown is that of the task's own run, while it waits for the owner. */
function useShowRun(task: Task | null, onRun: TaskPanelActions["onRun"]): void {
  const waits = task?.status === "needs_review" && task.run !== null;
  const runId = waits ? (task.run?.id ?? null) : null;
  const previewUrl = waits ? (task.run?.previewUrl ?? null) : null;
  const pageUrl = task?.pageUrl ?? null;
  useEffect(() => {
    if (runId === null) return onRun(null);
    onRun({ runId, mode: "build", status: "preview_ready", previewUrl, pageUrl });
  }, [onRun, runId, previewUrl, pageUrl]);
  useEffect(() => () => onRun(null), [onRun]);
}

/** The steps of one of the task's runs, live while it is at work. */
function RunOfTask(props: {
  runId: string;
  diffs: Diffs;
  /** Told when the run has come to another state. */
  onStatus(status: string): void;
}): ReactElement {
  const live = useRun(props.runId);
  const { status } = live.view;
  const { onStatus } = props;
  useEffect(() => {
    if (status !== null) onStatus(status);
  }, [onStatus, status]);
  return (
    <>
      <LiveRunLog live={live} diffs={props.diffs} />
    </>
  );
}

/** Which of the task's runs is shown. */
function Attempts(props: {
  detail: TaskDetail;
  runId: string | null;
  onChoose(runId: string): void;
}): ReactElement {
  const runs = props.detail.runs.toReversed();
  return (
    <fieldset className="segments">
      <legend className="unseen">Run</legend>
      {runs.map(({ id }, index) => (
        <label key={id}>
          <input
            type="radio"
            name="attempt"
            checked={id === props.runId}
            onChange={() => props.onChoose(id)}
          />
          <span>{`Run ${index + 1}`}</span>
        </label>
      ))}
    </fieldset>
  );
}
