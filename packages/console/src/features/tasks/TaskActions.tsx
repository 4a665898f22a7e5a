import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";

import type { ReviewReason, TaskAction, TaskDetail } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { isFocusLost } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { ErrorState } from "../shared/ErrorState.tsx";
import { isPublishing, isStopping, pageOf, taskStatusLabel } from "./labels.ts";
import { privateReasonOf } from "./private-reason.ts";
import { isOutdated, useTaskActions } from "./useTaskActions.ts";

type Actions = ReturnType<typeof useTaskActions>;

const refusals: Readonly<Record<TaskAction, string>> = {
  approve: "It was not published.",
  cancel: "It was not cancelled.",
  retry: "It was not queued again.",
};

/** What is still there after a refusal. */
function keptOf(task: TaskDetail): string {
  if (task.status === "needs_review") return "The preview is kept.";
  return task.status === "published" ? "" : "The task is kept as it is.";
}

/** Why the last action was refused, and what the task is now where it had changed meanwhile. */
function Refusal(props: { task: TaskDetail; actions: Actions }): ReactElement | null {
  const { task, actions } = props;
  if (!actions.isError) return null;
  const now = isOutdated(actions.error) ? `It is now: ${taskStatusLabel(task)}.` : keptOf(task);
  return <ErrorState what={refusals[actions.variables]} error={actions.error} kept={now} />;
}

/** Asks once before a preview is thrown away, and names the files. */
function AskDiscard(props: {
  task: TaskDetail;
  action: "cancel" | "retry";
  actions: Actions;
  onClose(): void;
}): ReactElement {
  const { task, action, actions, onClose } = props;
  const files = task.run?.filesChanged ?? [];
  return (
    <ConfirmDialog
      danger
      question={
        action === "cancel"
          ? `Discard the changes to ${formatCount(files.length, "file")}?`
          : "Discard this preview and retry?"
      }
      yes={action === "cancel" ? "Discard" : "Retry"}
      no="Keep"
      busy={actions.isPending}
      onNo={onClose}
      onYes={() => {
        onClose();
        actions.mutate(action);
      }}
    >
      <p>
        {action === "cancel" ? "The task is cancelled." : "The task begins anew."} These are lost:
      </p>
      <ul className="task-names">
        {files.map(({ path }) => (
          <li key={path}>
            <code>{plainText(path)}</code>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

/** Shows which pages would publish private text of which records, and asks whether they may. */
function AskPrivate(props: {
  reason: ReviewReason;
  actions: Actions;
  onClose(): void;
}): ReactElement {
  const { reason, actions, onClose } = props;
  return (
    <ConfirmDialog
      danger
      question="This would publish private text. Publish it anyway?"
      yes="Publish private text"
      no="Keep private"
      busy={actions.isPending}
      onNo={onClose}
      onYes={() => {
        onClose();
        actions.mutate("approve");
      }}
    >
      <ul className="task-names">
        {reason.items.map((item) => (
          <li key={item}>{plainText(item)}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

interface ButtonsProps {
  task: TaskDetail;
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
  if (task.status === "published") {
    return (
      <a className="button primary" href={pageOf(task)}>
        <Icon name="external" />
        {pageOf(task) === "/" ? "View the site" : "View the page"}
      </a>
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

/** A button that was pressed and has gone leaves the focus at the actions, not at the page's start. */
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

/** What can be done with a task in its state, and what was refused. */
export function TaskActions({ task }: { task: TaskDetail }): ReactElement {
  const actions = useTaskActions(task);
  const [asked, setAsked] = useState<TaskAction | null>(null);
  const reason = privateReasonOf(task);
  const place = useRef<HTMLDivElement>(null);
  useFocusKept(place, task);
  return (
    <div className="task-bar">
      <Refusal task={task} actions={actions} />
      <div className="actions" ref={place} tabIndex={-1} role="group" aria-label="Actions">
        <Buttons task={task} actions={actions} onAsk={setAsked} />
      </div>
      {asked === "approve" && reason !== null && (
        <AskPrivate reason={reason} actions={actions} onClose={() => setAsked(null)} />
      )}
      {asked !== null && asked !== "approve" && (
        <AskDiscard task={task} action={asked} actions={actions} onClose={() => setAsked(null)} />
      )}
    </div>
  );
}
