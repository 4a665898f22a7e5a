import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { ApiError } from "../../api/client.ts";
import type { TaskDetail } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { MarkdownText } from "../markdown/MarkdownText.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { previewAddress } from "../preview/preview-url.ts";
import { RecordConflicts } from "../runs/RecordConflicts.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { Elapsed } from "./Elapsed.tsx";
import { pageOf, stepLabel, taskStatusLabel, titleOf } from "./labels.ts";
import { RunSteps } from "./RunSteps.tsx";
import { nextStepText, type QueueState } from "./status-text.ts";
import { TaskActions } from "./TaskActions.tsx";
import { TaskFacts, TaskFailure, TaskInstruction, TaskReview } from "./TaskFacts.tsx";
import { TaskHistory } from "./TaskHistory.tsx";
import { TaskStatus } from "./TaskStatus.tsx";
import type { BoardSnapshot } from "./useBoard.ts";
import type { useTask } from "./useTask.ts";

interface ShownProps {
  task: TaskDetail;
  queue: QueueState | null;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
}

/** The state and what it means, announced when it changes. */
function State(props: ShownProps): ReactElement {
  const { task, queue, skew } = props;
  const step = stepLabel(task);
  const word = taskStatusLabel(task);
  return (
    <div className="task-state" data-status={task.status}>
      <p role="status">
        <TaskStatus task={task} />
        {step !== null && step !== word && <span className="muted"> · {step}</span>}
      </p>
      <p className="muted">
        <Elapsed
          ticking={task.waiting !== null}
          skew={skew}
          tell={(now) => nextStepText(task, queue, now)}
        />
      </p>
    </div>
  );
}

function Body(props: ShownProps & Pick<TaskViewProps, "diffs" | "onPreview">): ReactElement {
  const { task, queue, skew } = props;
  const summary = plainText(task.run?.summary ?? "").trim();
  const previewUrl = task.run?.previewUrl ?? null;
  const tab = previewUrl === null ? null : previewAddress(previewUrl, pageOf(task), location.href);
  return (
    <div className="task-body">
      <State task={task} queue={queue} skew={skew} />
      {previewUrl !== null && (
        <div className="actions">
          <Button icon="image" mark="to-preview" onClick={props.onPreview}>
            Review the preview
          </Button>
          {tab !== null && (
            <a className="button" href={tab} target="_blank" rel="noopener">
              <Icon name="external" />
              Open in a tab
            </a>
          )}
        </div>
      )}
      <TaskFailure task={task} />
      <TaskReview task={task} />
      {task.run && (
        <RecordConflicts
          runId={task.run.id}
          isReady={task.status === "needs_review" && task.run.status === "preview_ready"}
          files={task.run.filesChanged}
          stamp={task.error ?? ""}
        />
      )}
      <TaskInstruction task={task} />
      {summary !== "" && (
        <section aria-labelledby="task-summary">
          <h3 id="task-summary">Summary of work</h3>
          <MarkdownText className="task-instruction" text={summary} />
        </section>
      )}
      {task.run && (
        <section aria-labelledby="task-steps">
          <h3 id="task-steps">Steps</h3>
          <RunSteps run={task.run} diffs={props.diffs} />
        </section>
      )}
      <section aria-label="Facts">
        <TaskFacts task={task} />
      </section>
      <TaskHistory task={task} skew={skew} />
    </div>
  );
}

export interface TaskViewProps {
  id: number;
  look: ReturnType<typeof useTask>;
  /** The board, once it is loaded. */
  board: BoardSnapshot | undefined;
  /** Whether the run's files are expanded. */
  diffs: Folds;
  /** The title and the close button. */
  head(title: string): ReactElement;
  onPreview(): void;
  /** Shows the run that undoes the task's change; by default, its progress is shown here. */
  onRun?(runId: string): void;
}

/** A task with all its details and actions, in all states of loading. */
export function TaskView(props: TaskViewProps): ReactElement {
  const { id, board, look } = props;
  const task = look.data;
  const gone = look.error instanceof ApiError && look.error.code === "not_found";
  const unnamed = gone ? "This task doesn’t exist" : `Task #${id}`;
  return (
    <>
      {props.head(task ? titleOf(task) : unnamed)}
      {look.isError && (
        <ErrorState
          what={task ? "Couldn’t refresh the task." : "Couldn’t load the task."}
          error={look.error}
          note={task ? "You’re seeing what was last loaded." : ""}
          busy={look.isFetching}
          {...(!gone && { onRetry: () => void look.refetch() })}
        />
      )}
      {look.isPending && <Skeleton count={4} shape="row" label="Loading task…" />}
      {task && (
        <Body
          task={task}
          queue={board?.board ?? null}
          skew={board?.skew ?? 0}
          diffs={props.diffs}
          onPreview={props.onPreview}
        />
      )}
      {task && <TaskActions task={task} onRun={props.onRun} />}
    </>
  );
}
