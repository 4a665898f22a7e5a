import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";

import type { TaskAction, TaskDetail } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { isFocusLost } from "../../ui/focus.ts";
import { Icon } from "../../ui/Icon.tsx";
import { ConfirmDiscard } from "../runs/ConfirmDiscard.tsx";
import { ConfirmPrivate } from "../publish/ConfirmPrivate.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { isDraftSaved, isPublishing, isStopping, pageOf, taskStatusLabel } from "./labels.ts";
import { privateReasonOf } from "./private-reason.ts";
import { UndoTask } from "./UndoTask.tsx";
import { isOutdated, useTaskActions } from "./useTaskActions.ts";

type Actions = ReturnType<typeof useTaskActions>;

export interface TaskActionsProps {
  task: TaskDetail;
  /** Shows a run that undoes the task's change; see UndoTask. */
  onRun?: ((runId: string) => void) | undefined;
}

const refusals: Readonly<Record<TaskAction, string>> = {
  approve: "Couldn’t publish the change.",
  cancel: "Couldn’t cancel the task.",
  retry: "Couldn’t queue the task again.",
};

/** What is still there after an error. */
function keptOf(task: TaskDetail): string {
  if (task.status === "needs_review") return "The preview is kept.";
  return task.status === "published" ? "" : "The task is unchanged.";
}

/** Why the last action failed, and the task's new state if it has changed. */
function Refusal(props: { task: TaskDetail; actions: Actions }): ReactElement | null {
  const { task, actions } = props;
  if (!actions.isError) return null;
  const now = isOutdated(actions.error)
    ? `Its status is now: ${taskStatusLabel(task)}.`
    : keptOf(task);
  return <ErrorState what={refusals[actions.variables]} error={actions.error} note={now} />;
}

/** Asks for confirmation before a preview is discarded, and names the files. */
function AskDiscard(props: {
  task: TaskDetail;
  action: "cancel" | "retry";
  onDiscard(): void;
  onKeep(): void;
}): ReactElement {
  const { task, action, ...answers } = props;
  const cancels = action === "cancel";
  return (
    <ConfirmDiscard
      files={task.run?.filesChanged ?? []}
      {...(!cancels && { question: "Discard this preview and retry?", yes: "Retry" })}
      {...answers}
    >
      <p>{cancels ? "The task is cancelled." : "The task starts over."} You’ll lose:</p>
    </ConfirmDiscard>
  );
}

interface ButtonsProps extends TaskActionsProps {
  actions: Actions;
  onAsk(action: TaskAction): void;
}

function ReviewButtons({ task, actions, onAsk }: ButtonsProps): ReactElement {
  const doing = actions.isPending ? actions.variables : null;
  const publishing = isPublishing(task) || doing === "approve";
  return (
    <>
      <Button
        busy={doing === "cancel"}
        inert={publishing || actions.isPending}
        onClick={() => onAsk("cancel")}
      >
        Discard preview
      </Button>
      <Button
        icon="reload"
        busy={doing === "retry"}
        inert={publishing || actions.isPending}
        onClick={() => onAsk("retry")}
      >
        Retry
      </Button>
      <Button
        variant="primary"
        busy={publishing}
        onClick={() => {
          if (privateReasonOf(task) === null) actions.mutate("approve");
          else onAsk("approve");
        }}
      >
        {publishing ? "Publishing…" : "Approve and publish"}
      </Button>
    </>
  );
}

function Buttons(props: ButtonsProps): ReactElement {
  const { task, actions } = props;
  const busy = actions.isPending;
  if (task.status === "needs_review") return <ReviewButtons {...props} />;
  if (isDraftSaved(task) && task.project) {
    return (
      <a className="button primary" href={`/admin/projects/edit?id=${task.project.id}`}>
        Open the draft
      </a>
    );
  }
  if (task.status === "published") {
    return (
      <>
        {task.commit && task.run && <UndoTask runId={task.run.id} onRun={props.onRun} />}
        <a className="button primary" href={pageOf(task)}>
          <Icon name="external" />
          {pageOf(task) === "/" ? "View the site" : "View the page"}
        </a>
      </>
    );
  }
  if (isStopping(task)) return <Button busy>Stopping…</Button>;
  if (isPublishing(task)) return <Button busy>Publishing…</Button>;
  if (["reverted", "failed", "cancelled"].includes(task.status)) {
    return (
      <Button variant="primary" icon="reload" busy={busy} onClick={() => actions.mutate("retry")}>
        Retry
      </Button>
    );
  }
  return (
    <Button busy={busy} onClick={() => actions.mutate("cancel")}>
      {busy ? "Stopping…" : "Cancel task"}
    </Button>
  );
}

/** When a pressed button disappears, the focus stays at the actions. */
function useFocusKept(place: RefObject<HTMLElement | null>, task: TaskDetail): void {
  const inside = useRef(false);
  useEffect(() => {
    const at = place.current;
    if (!at) return;
    const note = (): void => {
      inside.current = true;
    };
    const forget = (event: FocusEvent): void => {
      if (event.relatedTarget !== null) inside.current = false;
    };
    at.addEventListener("focusin", note);
    at.addEventListener("focusout", forget);
    return () => {
      at.removeEventListener("focusin", note);
      at.removeEventListener("focusout", forget);
    };
  }, [place]);
  useEffect(() => {
    if (inside.current && isFocusLost(place.current)) place.current?.focus();
  }, [place, task.status, task.approvedAt]);
}

/** The actions for a task's state, and their errors. */
export function TaskActions(props: TaskActionsProps): ReactElement {
  const { task } = props;
  const actions = useTaskActions(task);
  const [actionToConfirm, setActionToConfirm] = useState<TaskAction | null>(null);
  const reason = privateReasonOf(task);
  const place = useRef<HTMLDivElement>(null);
  useFocusKept(place, task);
  const close = (): void => setActionToConfirm(null);
  const perform = (action: TaskAction): void => {
    close();
    actions.mutate(action);
  };
  return (
    <div className="task-bar">
      <Refusal task={task} actions={actions} />
      <div className="actions" ref={place} tabIndex={-1} role="group" aria-label="Actions">
        <Buttons {...props} actions={actions} onAsk={setActionToConfirm} />
      </div>
      {actionToConfirm === "approve" && reason !== null && (
        <ConfirmPrivate
          texts={reason.items}
          onPublish={() => perform(actionToConfirm)}
          onKeep={close}
        />
      )}
      {actionToConfirm !== null && actionToConfirm !== "approve" && (
        <AskDiscard
          task={task}
          action={actionToConfirm}
          onDiscard={() => perform(actionToConfirm)}
          onKeep={close}
        />
      )}
    </div>
  );
}
