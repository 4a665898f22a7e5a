import type { ReactElement } from "react";

import type { TaskDetail } from "../../api/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { usageLabels } from "../runs/labels.ts";
import { Time } from "../time/Time.tsx";
import {
  attemptLabel,
  filesLabel,
  kindLabel,
  originOf,
  priorityLabel,
  projectStatusLabel,
} from "./labels.ts";
import { ReviewReasons } from "./ReviewReasons.tsx";
import { TaskImages } from "./TaskImages.tsx";

/** Model, tokens, and cost of the newest run; null if nothing was used. */
function spentOf({ run }: TaskDetail): string | null {
  if (!run) return null;
  const spent = usageLabels(run.inputTokens + run.outputTokens, run.cost, run.currency);
  if (spent.length === 0) return null;
  const model = run.model === "" || run.model === "none" ? [] : [plainText(run.model)];
  return [...model, ...spent].join(" · ");
}

function Fact(props: {
  name: string;
  children: ReactElement | string | null;
}): ReactElement | null {
  if (props.children === null) return null;
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** The known facts of a task, as names and values. */
export function TaskFacts({ task }: { task: TaskDetail }): ReactElement {
  const { project, pageUrl, commit, findingId } = task;
  const words = originOf(task);
  const origin =
    findingId === null ? words : <a href={`/admin/qa?finding=${findingId}`}>{words}</a>;
  return (
    <dl className="task-details">
      <Fact name="Kind">{kindLabel(task)}</Fact>
      <Fact name="When it’s done">{projectStatusLabel(task)}</Fact>
      <Fact name="Requested by">{origin}</Fact>
      <Fact name="Created">
        <Time iso={task.createdAt} />
      </Fact>
      <Fact name="Project">
        {project && <a href={`/admin/projects/edit?id=${project.id}`}>{plainText(project.name)}</a>}
      </Fact>
      <Fact name="Page">{pageUrl === null ? null : <a href={pageUrl}>{pageUrl}</a>}</Fact>
      <Fact name="Changed">{filesLabel(task.run)}</Fact>
      <Fact name="Attempts">{attemptLabel(task)}</Fact>
      <Fact name="Priority">{priorityLabel(task.priority)}</Fact>
      <Fact name="Usage">{spentOf(task)}</Fact>
      <Fact name="Commit">{commit === null ? null : <code>{commit.slice(0, 7)}</code>}</Fact>
    </dl>
  );
}

/** The instruction in the author's words, with the images. */
export function TaskInstruction({ task }: { task: TaskDetail }): ReactElement {
  return (
    <section aria-labelledby="task-asked">
      <h3 id="task-asked">Instruction</h3>
      <p className="task-instruction" dir="auto">
        {plainText(task.instruction)}
      </p>
      <TaskImages ids={task.attachments} />
      <p className="task-scope">{plainText(task.scopeSummary)}</p>
    </section>
  );
}

/** Why a person has to review it, with the items of each reason. */
export function TaskReview({ task }: { task: TaskDetail }): ReactElement | null {
  const waits = task.status === "needs_review" && task.approvedAt === null;
  if (!waits || task.review.length === 0) return null;
  return (
    <section aria-labelledby="task-review" className="task-review">
      <h3 id="task-review">Why it needs review</h3>
      <ReviewReasons review={task.review} />
    </section>
  );
}

const failures: Readonly<Record<string, string>> = {
  needs_review: "Couldn’t publish the change.",
  reverted: "Why it was reverted",
  failed: "Why it failed",
};

/** The complete error of a task. */
export function TaskFailure({ task }: { task: TaskDetail }): ReactElement | null {
  const title = failures[task.status];
  if (!title || task.error === null || task.error === "") return null;
  return (
    <Notice kind={task.status === "failed" ? "error" : "warn"} quiet title={title}>
      <p className="task-instruction">{plainText(task.error)}</p>
    </Notice>
  );
}
