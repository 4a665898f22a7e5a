import { type MouseEvent, type ReactElement, useEffect, useRef } from "react";

import type { Task } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { type Address, changeSearch } from "../../ui/search-params.ts";
import { Elapsed } from "./Elapsed.tsx";
import {
  attemptLabel,
  costLabel,
  filesLabel,
  shortKindLabels,
  originOf,
  priorityLabel,
  stepLabel,
  titleOf,
} from "./labels.ts";
import { cardTime, isTicking } from "./task-times.ts";
import { TaskStatus } from "./TaskStatus.tsx";

export interface CardProps {
  task: Task;
  address: Address;
  skew: number;
  /** Whether its details are open. */
  open: boolean;
}

/** Whether a click is meant for this tab. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

function CardDetails({ task }: { task: Task }): ReactElement | null {
  const facts = [
    filesLabel(task.run),
    attemptLabel(task),
    costLabel(task.run),
    priorityLabel(task.priority),
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

/** What keeps a task or went wrong with it, in one line. */
function TaskProblem({ task }: { task: Task }): ReactElement | null {
  const { status, waiting, review, error } = task;
  const words =
    status === "queued"
      ? waiting?.reason
      : status === "needs_review"
        ? (error ?? review[0]?.message)
        : status === "reverted" || status === "failed"
          ? error
          : null;
  if (!words) return null;
  return (
    <p className="task-trouble" data-weight={status}>
      {status === "queued" && "Waits: "}
      {plainText(words)}
    </p>
  );
}

/** One task on the board; all of it leads to its details. */
export function TaskCard({ task, address, skew, open }: CardProps): ReactElement {
  const step = stepLabel(task);
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
      <h3 dir="auto">
        <a
          href={location.pathname + changeSearch(location.search, { task: task.id, preview: null })}
          aria-current={open ? "true" : undefined}
          onClick={(event) => {
            if (!isPlain(event)) return;
            event.preventDefault();
            address.change({ task: task.id, preview: null });
          }}
        >
          {titleOf(task)}
        </a>
      </h3>
      <p className="task-origin task-row">
        {ended && <TaskStatus task={task} />}
        <span>{`#${task.id} `}</span>
        <span>{`${shortKindLabels[task.kind]} `}</span>
        <span>{`${originOf(task)} `}</span>
        <Elapsed
          ticking={isTicking(task)}
          skew={skew}
          tell={(now) => cardTime(task, now) ?? "starting"}
        />
      </p>
      {step !== null && (
        <p className="task-step">
          <span className="spinner" />
          {step}
        </p>
      )}
      <TaskProblem task={task} />
      <CardDetails task={task} />
    </li>
  );
}
