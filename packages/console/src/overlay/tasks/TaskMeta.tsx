import type { ReactElement } from "react";

import type { Task } from "../../api/types.ts";
import { pageName } from "../../features/runs/labels.ts";
import { priorityLabel } from "../../features/tasks/labels.ts";
import { changedFilesLabel } from "../../features/tasks/summary-labels.ts";
import { cardTime } from "../../features/tasks/task-times.ts";
import { TaskStatus } from "../../features/tasks/TaskStatus.tsx";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";

/** A task's state with its sign, and its facts in a line. */
export function TaskMeta({ task, now }: { task: Task; now: number }): ReactElement {
  const changed = changedFilesLabel(task);
  return (
    <p className="meta">
      <TaskStatus task={task} />
      {changed !== null && <span>{changed}</span>}
      <TaskFacts task={task} now={now} />
    </p>
  );
}

/** Since when, how important, with what and about which page. */
export function TaskFacts({ task, now }: { task: Task; now: number }): ReactElement {
  const { attachments, pageUrl, priority } = task;
  const images = attachments.length > 0 ? formatCount(attachments.length, "picture") : null;
  const facts = [cardTime(task, now), priorityLabel(priority), images];
  return (
    <>
      {facts.map((fact) => fact !== null && <span key={fact}>{fact}</span>)}
      {pageUrl !== null && <span className="page">{pageName(plainText(pageUrl))}</span>}
    </>
  );
}
