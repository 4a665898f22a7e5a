import { type MouseEvent, type ReactElement, type ReactNode, useEffect, useRef } from "react";

import type { Task } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import { pageName } from "../runs/labels.ts";
import { Elapsed } from "./Elapsed.tsx";
import {
  attemptLabel,
  costLabel,
  kindLabel,
  originOf,
  priorityLabel,
  stepLabel,
  titleOf,
} from "./labels.ts";
import { changedFilesLabel, summaryLine } from "./summary-labels.ts";
import { cardTime, isTicking } from "./task-times.ts";
import { TaskStatus } from "./TaskStatus.tsx";

export interface TaskCardProps {
  task: Task;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
  /** Whether its details are open next to it. */
  open?: boolean;
  /** The address of its details, if they have one. */
  href?: string;
  /** The heading level: one below that of the section. */
  heading?: "h3" | "h4";
  onOpen(id: number): void;
}

/** Whether a click opens the link in this tab. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

function CardDetails({ task }: { task: Task }): ReactElement | null {
  const { attachments, pageUrl, run, priority } = task;
  const facts = [
    changedFilesLabel(task),
    stepLabel(task) === null ? attemptLabel(task) : null,
    costLabel(run),
    priorityLabel(priority),
    attachments.length > 0 ? formatCount(attachments.length, "image") : null,
    pageUrl === null ? null : pageName(plainText(pageUrl)),
  ].filter((fact) => fact !== null);
  if (facts.length === 0) return null;
  return (
    <p className="task-facts task-row">
      {facts.map((fact) => (
        <span key={fact}>{fact} </span>
      ))}
    </p>
  );
}

/** What is happening with it, or what prevents it or went wrong, on one line. */
function Line({ task, skew }: { task: Task; skew: number }): ReactElement | null {
  const step = stepLabel(task);
  if (step !== null) {
    return (
      <p className="task-step">
        <span className="spinner" />
        {[step, attemptLabel(task)].filter(Boolean).join(" · ")}
      </p>
    );
  }
  const { status, review } = task;
  const reasons = status === "needs_review" ? review.map(({ message }) => message).join(" ") : "";
  const tell = (now: number): string => summaryLine(task, null, now) || plainText(reasons);
  if (tell(0) === "") return null;
  return (
    <p className="task-trouble" data-weight={status}>
      <Elapsed ticking={status === "queued"} skew={skew} tell={tell} />
    </p>
  );
}

/** The link to the details, which covers the whole card. */
function Lead(props: TaskCardProps & { children: ReactNode }): ReactElement {
  const { task, href, open, children } = props;
  const onOpen = (): void => props.onOpen(task.id);
  if (href === undefined) {
    return (
      <button type="button" className="task-lead" onClick={onOpen}>
        {children}
      </button>
    );
  }
  return (
    <a
      className="task-lead"
      href={href}
      aria-current={open ? "true" : undefined}
      onClick={(event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </a>
  );
}

/** A task in a list or on the board; the whole card leads to its details. */
export function TaskCard(props: TaskCardProps): ReactElement {
  const { task, skew, open, heading: Heading = "h3" } = props;
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (open) card.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const ended = ["reverted", "failed", "cancelled"].includes(task.status);
  return (
    <li
      ref={card}
      className="task-card"
      data-task-id={task.id}
      data-status={task.status}
      data-open={open}
    >
      <Heading dir="auto">
        <Lead {...props}>{titleOf(task)}</Lead>
      </Heading>
      <p className="task-origin task-row">
        {ended && <TaskStatus task={task} />}
        <span>{`#${task.id} `}</span>
        <span>{`${kindLabel(task, "short")} `}</span>
        <span>{`${originOf(task)} `}</span>
        <Elapsed
          ticking={isTicking(task)}
          skew={skew}
          tell={(now) => cardTime(task, now) ?? "starting"}
        />
      </p>
      <Line task={task} skew={skew} />
      <CardDetails task={task} />
    </li>
  );
}
