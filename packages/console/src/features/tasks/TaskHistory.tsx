import { type ReactElement, useId, useState } from "react";

import type { TaskDetail, TaskEvent, TaskRun } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { firstLine, usageLabels, runStatusLabel } from "../runs/labels.ts";
import { Time } from "../time/Time.tsx";
import { filesLabel } from "./labels.ts";
import { RunSteps } from "./RunSteps.tsx";
import { runTime } from "./task-times.ts";

const eventLabels: Readonly<Record<TaskEvent["type"], string>> = {
  created: "Created",
  requeued: "Queued again",
  needs_review: "Needs review",
  approved: "Approved",
  refused: "Not published",
  published: "Published",
  reverted: "Reverted",
  failed: "Failed",
  cancelled: "Cancelled",
  retried: "Queued again",
};

/** Events whose message is the person who caused them. */
const byPerson: ReadonlySet<TaskEvent["type"]> = new Set([
  "created",
  "approved",
  "cancelled",
  "retried",
]);

function EventText({ event }: { event: TaskEvent }): ReactElement {
  const { type } = event;
  const message = plainText(event.message);
  return (
    <span>
      <b>{eventLabels[type]}</b>
      {message !== "" && (byPerson.has(type) ? ` by ${message}` : `: ${message}`)}
    </span>
  );
}

/** The files of an earlier attempt are expanded one by one. */
const closed = { open: false, turn: 0 };

/** A run's usage and result on one line. */
function runDetails(run: TaskRun, now: number): string {
  const { inputTokens, outputTokens, cost, currency } = run;
  return [
    runStatusLabel(run.status),
    runTime(run, now),
    filesLabel(run),
    ...usageLabels(inputTokens + outputTokens, cost, currency),
  ]
    .filter((fact) => fact !== null)
    .join(" · ");
}

function Attempt(props: { run: TaskRun; skew: number }): ReactElement {
  const { run } = props;
  const id = useId();
  const [open, setOpen] = useState(false);
  const error = firstLine(plainText(run.error ?? ""));
  return (
    <li className="task-attempt">
      <p>
        <b>Attempt {run.attempt}</b> <Time iso={run.createdAt} />
      </p>
      <p className="muted">{runDetails(run, Date.now() + props.skew)}</p>
      {error !== "" && <p className="task-why">{error}</p>}
      <Button
        expanded={open}
        label={`${open ? "Hide" : "Show"} the steps of attempt ${run.attempt}`}
        onClick={() => setOpen(!open)}
      >
        {open ? "Hide" : "Show"} the steps
      </Button>
      <div id={id} hidden={!open}>
        {open && <RunSteps run={run} diffs={closed} />}
      </div>
    </li>
  );
}

/** A task's history, and the attempts before the one shown above. */
export function TaskHistory(props: { task: TaskDetail; skew: number }): ReactElement {
  const { task, skew } = props;
  const earlier = task.runs.filter(({ id }) => id !== task.run?.id);
  return (
    <>
      {earlier.length > 0 && (
        <section aria-labelledby="task-attempts">
          <h3 id="task-attempts">Earlier attempts</h3>
          <ol className="task-attempts">
            {earlier.map((run) => (
              <Attempt key={run.id} run={run} skew={skew} />
            ))}
          </ol>
        </section>
      )}
      <section aria-labelledby="task-events">
        <h3 id="task-events">History</h3>
        <ol className="task-events">
          {task.events.map((event, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- events are only ever appended
            <li key={index}>
              <EventText event={event} />{" "}
              <span className="muted">
                <Time iso={event.at} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}
