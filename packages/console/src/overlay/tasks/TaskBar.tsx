import { type ReactElement, type Ref, useId, useRef, useState } from "react";

import type { Task, TaskAction } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { ChangedFiles } from "../../features/runs/ChangedFiles.tsx";
import { ConfirmDiscard, FileNames } from "../../features/runs/ConfirmDiscard.tsx";
import type { Diffs } from "../../features/runs/LogItem.tsx";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { isPublishing } from "../../features/tasks/labels.ts";
import { confirmationOf, privateReasonOf } from "../../features/tasks/private-reason.ts";
import { ReviewReasons } from "../../features/tasks/ReviewReasons.tsx";
import { nextStepText } from "../../features/tasks/status-text.ts";
import { changedFilesLabel, summaryLine } from "../../features/tasks/summary-labels.ts";
import { TaskStatus } from "../../features/tasks/TaskStatus.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { InlineConfirm } from "../../ui/InlineConfirm.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { useTasks } from "./useTasks.ts";

export interface TaskBarProps {
  task: Task;
  /** By the server's clock, in ms. */
  now: number;
  diffs: Diffs;
  onTask(task: Task): void;
  onPreview(): void;
  /** Called when what was pressed may be gone. */
  onGone(): void;
}

/** What is asked about first: what throws a preview away, or publishes private text. */
type ConfirmedAction = TaskAction;

/** What the task waits for, why, and what the owner can do about it. */
export function TaskBar(props: TaskBarProps): ReactElement {
  const { task } = props;
  const { api, refresh } = useTasks();
  const action = useAction();
  const [asked, setAsking] = useState<ConfirmedAction | null>(null);
  // Meanwhile the preview may be gone.
  const asking = task.status === "needs_review" ? asked : null;
  const box = useRef<HTMLDivElement>(null);
  const discardButton = useRef<HTMLButtonElement>(null);

  async function act(what: TaskAction): Promise<void> {
    // Where it has private text the owner was asked before.
    const confirmed = what === "approve" ? confirmationOf(task) : {};
    await action.perform(what, async () => props.onTask(await api.act(what, task.id, confirmed)));
    refresh();
    // Keys are heard only where the focus is.
    requestAnimationFrame(() => {
      const root = box.current?.getRootNode() as ShadowRoot | undefined;
      if (root?.activeElement === null) props.onGone();
    });
  }
  function sure(): void {
    setAsking(null);
    if (asking !== null) void act(asking);
  }
  function keep(): void {
    setAsking(null);
    requestAnimationFrame(() => discardButton.current?.focus());
  }
  const { pending } = action;
  return (
    <div className="bar task-bar" tabIndex={-1} ref={box}>
      {action.error && <RefusalNotice error={action.error} kept="The task is as it was." />}
      {asking !== null && <Asking what={asking} task={task} onYes={sure} onNo={keep} />}
      {asking === null && (
        <>
          <Outcome {...props} />
          <TaskActions
            task={task}
            pending={pending}
            discardButton={discardButton}
            onAct={(what) => {
              if (what === "approve" && privateReasonOf(task) !== null) setAsking(what);
              else void act(what);
            }}
            onAsk={setAsking}
            onPreview={props.onPreview}
          />
        </>
      )}
    </div>
  );
}

/** Asks once before the preview is thrown away, or private text is published. */
function Asking(props: {
  what: ConfirmedAction;
  task: Task;
  onYes(): void;
  onNo(): void;
}): ReactElement {
  const { what, onYes, onNo } = props;
  const files = props.task.run?.filesChanged ?? [];
  if (what === "cancel") {
    return <ConfirmDiscard files={files} busy={false} onDiscard={onYes} onKeep={onNo} />;
  }
  if (what === "approve") {
    return (
      <InlineConfirm
        question="This would publish private text. Publish it anyway?"
        yes="Publish private text"
        no="Keep private"
        danger
        busy={false}
        onYes={onYes}
        onNo={onNo}
      >
        <ul className="names">
          {privateReasonOf(props.task)?.items.map((item) => (
            <li key={item}>{plainText(item)}</li>
          ))}
        </ul>
      </InlineConfirm>
    );
  }
  return (
    <InlineConfirm
      question="Discard this preview and retry?"
      yes="Retry"
      no="Keep"
      danger
      busy={false}
      onYes={onYes}
      onNo={onNo}
    >
      <FileNames files={files} />
    </InlineConfirm>
  );
}

/** The state in a word; why somebody should look at it, and what changed, open below. */
function Outcome(props: TaskBarProps): ReactElement {
  const { task, now } = props;
  const { run, review, status, commit } = task;
  const [opened, setOpened] = useState(false);
  const id = useId();
  const changed = run === null ? null : changedFilesLabel(task);
  const { board } = useTasks();
  const line =
    task.status === "queued" ? nextStepText(task, board, now) : summaryLine(task, board, now);
  return (
    <>
      <div className="outcome" role="status">
        <TaskStatus task={task} />
        {line !== "" && (
          // It counts down.
          <span className="quiet" aria-live={status === "queued" ? "off" : undefined}>
            {line}
          </span>
        )}
        {changed !== null && (
          <button
            type="button"
            className="line"
            aria-expanded={opened}
            aria-controls={id}
            onClick={() => setOpened(!opened)}
          >
            {changed} <Icon name="chevron" />
          </button>
        )}
        {commit !== null && <span className="quiet">{commit.slice(0, 7)}</span>}
      </div>
      <div id={id} className="opened" hidden={!opened || changed === null}>
        {opened && run !== null && <ChangedFiles key={run.id} runId={run.id} diffs={props.diffs} />}
      </div>
      {status === "needs_review" && task.approvedAt === null && review.length > 0 && (
        <div className="reasons" role="region" aria-label="Why it needs review" tabIndex={0}>
          <ReviewReasons review={review} />
        </div>
      )}
    </>
  );
}

interface ActionsProps {
  task: Task;
  /** What is under way. */
  pending: string | null;
  discardButton: Ref<HTMLButtonElement>;
  onAct(what: TaskAction): void;
  /** For what throws the preview away: asks first. */
  onAsk(what: ConfirmedAction): void;
  onPreview(): void;
}

/** The buttons that make sense in the task's state, the weightiest last. */
function TaskActions(props: ActionsProps): ReactElement | null {
  const { task, pending, onAct } = props;
  const busy = pending !== null;
  if (isPublishing(task)) return null;
  if (task.status === "needs_review") return <ReviewActions {...props} />;
  return (
    <div className="actions">
      {task.status === "published" ? (
        <a className="button" href={task.pageUrl ?? "/"}>
          View
        </a>
      ) : ["reverted", "failed", "cancelled"].includes(task.status) ? (
        <Button variant="primary" disabled={busy} onClick={() => onAct("retry")}>
          Retry
        </Button>
      ) : (
        <Button disabled={busy} onClick={() => onAct("cancel")}>
          {pending === "cancel" ? "Stopping…" : "Cancel task"}
        </Button>
      )}
    </div>
  );
}

/** A preview waits: it is let live, dropped, or made anew. */
function ReviewActions(props: ActionsProps): ReactElement {
  const { task, pending, onAsk } = props;
  const busy = pending !== null;
  return (
    <div className="actions">
      <Button variant="bare" disabled={busy} onClick={() => onAsk("retry")}>
        Retry
      </Button>
      {task.run?.previewUrl && (
        <Button mark="to-preview" onClick={props.onPreview}>
          <Icon name="eye" /> Preview
        </Button>
      )}
      <Button ref={props.discardButton} disabled={busy} onClick={() => onAsk("cancel")}>
        Discard
      </Button>
      <Button variant="primary" disabled={busy} onClick={() => props.onAct("approve")}>
        {pending === "approve" ? "Approving…" : "Approve"}
      </Button>
    </div>
  );
}
