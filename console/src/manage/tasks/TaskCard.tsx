import { type MouseEvent, type ReactElement, useEffect, useRef } from "react";

import { plainText } from "../../plain-text.ts";
import { type Address, changeSearch } from "../address.ts";
import type { Task } from "../types.ts";
import { Elapsed } from "./Elapsed.tsx";
import { cardTime, isTicking } from "./time-words.ts";
import {
  attemptWords,
  costWords,
  filesWords,
  shortKinds,
  originOf,
  priorityWords,
  stateWord,
  stepWords,
  titleOf,
} from "./words.ts";

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

function Facts({ task }: { task: Task }): ReactElement | null {
  const facts = [
    filesWords(task.run),
    attemptWords(task),
    costWords(task.run),
    priorityWords(task.priority),
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
function Trouble({ task }: { task: Task }): ReactElement | null {
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
  const step = stepWords(task);
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
        {ended && (
          <span className="task-mark" data-status={task.status}>
            {stateWord(task)}{" "}
          </span>
        )}
        <span>{`#${task.id} `}</span>
        <span>{`${shortKinds[task.kind]} `}</span>
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
      <Trouble task={task} />
      <Facts task={task} />
    </li>
  );
}
