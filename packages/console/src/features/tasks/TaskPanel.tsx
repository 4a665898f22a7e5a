import { type ReactElement, useEffect, useEffectEvent, useRef } from "react";

import { ApiError } from "../../api/client.ts";
import type { TaskDetail } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import type { Address } from "../../ui/search-params.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useSize } from "../../ui/useSize.ts";
import { previewAddress } from "../preview/preview-url.ts";
import { ErrorState } from "../shared/ErrorState.tsx";
import { Elapsed } from "./Elapsed.tsx";
import { pageOf, taskStatusLabel, stepLabel, titleOf } from "./labels.ts";
import { RunSteps } from "./RunSteps.tsx";
import { nextStepText, type QueueState } from "./status-text.ts";
import { TaskActions } from "./TaskActions.tsx";
import { TaskFacts, TaskInstruction, TaskReview, TaskFailure } from "./TaskFacts.tsx";
import { TaskHistory } from "./TaskHistory.tsx";
import { TaskPreview } from "./TaskPreview.tsx";
import { TaskStatus } from "./TaskStatus.tsx";
import type { BoardSnapshot } from "./useBoard.ts";
import { useTask } from "./useTask.ts";

interface PanelProps {
  id: number;
  address: Address;
  /** The board, once it is there. */
  board: BoardSnapshot | undefined;
  /** Whether it lies over the whole page. */
  narrow: boolean;
}

interface TaskViewProps {
  task: TaskDetail;
  queue: QueueState | null;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
}

/** The gap around the panel, in px. */
const gap = 12;

/** Esc closes what lies open last: it is heard here when nothing nearer has taken it. */
function useEscape(close: () => void): void {
  const press = useEffectEvent(close);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      press();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** The state in a word and what it means, told again when it changes. */
function State(props: TaskViewProps): ReactElement {
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

function Body(props: TaskViewProps & { onPreview(): void }): ReactElement {
  const { task, queue, skew } = props;
  const summary = plainText(task.run?.summary ?? "").trim();
  const previewUrl = task.run?.previewUrl ?? null;
  const tab = previewUrl === null ? null : previewAddress(previewUrl, pageOf(task), location.href);
  return (
    <div className="task-body">
      <State task={task} queue={queue} skew={skew} />
      <TaskFailure task={task} />
      <TaskReview task={task} />
      {previewUrl !== null && (
        <div className="actions">
          <Button icon="image" onClick={props.onPreview}>
            Look at the preview
          </Button>
          {tab !== null && (
            <a className="button" href={tab} target="_blank" rel="noopener">
              <Icon name="external" />
              Open in a tab
            </a>
          )}
        </div>
      )}
      <TaskInstruction task={task} />
      {summary !== "" && (
        <section aria-labelledby="task-summary">
          <h3 id="task-summary">What was done</h3>
          <p className="task-instruction" dir="auto">
            {summary}
          </p>
        </section>
      )}
      {task.run && (
        <section aria-labelledby="task-steps">
          <h3 id="task-steps">Steps</h3>
          <RunSteps run={task.run} />
        </section>
      )}
      <section aria-label="Facts">
        <TaskFacts task={task} />
      </section>
      <TaskHistory task={task} skew={skew} />
    </div>
  );
}

/** What it is called, and the way out; the focus begins at the heading. */
function Head(props: { id: number; title: string; onClose(): void }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <header>
      <p className="muted">Task #{props.id}</p>
      <Button variant="bare" icon="cross" label="Close the details" onClick={props.onClose} />
      <h2 id="task-title" ref={heading} tabIndex={-1} dir="auto">
        {props.title}
      </h2>
    </header>
  );
}

/** What the panel holds, in all the states of asking for it. */
function Content(
  props: Pick<PanelProps, "id" | "board"> & {
    look: ReturnType<typeof useTask>;
    onPreview(): void;
    onClose(): void;
  },
): ReactElement {
  const { id, board, look: query } = props;
  const task = query.data;
  const gone = query.error instanceof ApiError && query.error.code === "not_found";
  const unnamed = gone ? "This task does not exist" : `Task #${id}`;
  return (
    <>
      <Head id={id} title={task ? titleOf(task) : unnamed} onClose={props.onClose} />
      {query.isError && (
        <ErrorState
          what={task ? "The task can’t be looked at again." : "The task can’t be shown."}
          error={query.error}
          kept={task ? "What is here is how it was before." : ""}
          busy={query.isFetching}
          {...(!gone && { onRetry: () => void query.refetch() })}
        />
      )}
      {query.isPending && <Skeleton count={4} shape="row" label="The task is loading…" />}
      {task && (
        <Body
          task={task}
          queue={board?.board ?? null}
          skew={board?.skew ?? 0}
          onPreview={props.onPreview}
        />
      )}
      {task && <TaskActions task={task} />}
    </>
  );
}

/** One task with all that is known of it and what can be done about it. */
export function TaskPanel({ id, address, board, narrow }: PanelProps): ReactElement {
  const { change, params } = address;
  const query = useTask(id);
  const task = query.data;
  const path = task ? pageOf(task) : "/";
  const [measure, size] = useSize();
  const close = (): void => change({ task: null, preview: null });
  const hidePreview = (): void => {
    change({ preview: null });
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#task-title")?.focus());
  };
  useEscape(close);
  const previewUrl = params.has("preview") ? (task?.run?.previewUrl ?? null) : null;
  return (
    <>
      <div
        className="task-panel"
        ref={measure}
        role={narrow ? "dialog" : "complementary"}
        aria-modal={narrow || undefined}
        aria-labelledby="task-title"
        inert={narrow && previewUrl !== null}
      >
        <Content
          id={id}
          board={board}
          look={query}
          onPreview={() => change({ preview: 1 })}
          onClose={close}
        />
      </div>
      {previewUrl !== null && (
        <TaskPreview
          url={previewUrl}
          path={path}
          title={task ? titleOf(task) : `Task #${id}`}
          inset={narrow ? 0 : size.width + 2 * gap}
          onClose={hidePreview}
        />
      )}
    </>
  );
}
