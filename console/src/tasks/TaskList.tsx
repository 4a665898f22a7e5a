import { type ReactElement, useEffect, useId, useRef } from "react";

import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { useAction } from "../hooks/useAction.ts";
import { useDesk } from "../hooks/useDesk.ts";
import { useNow } from "../hooks/useNow.ts";
import { titleOf } from "../manage/tasks/words.ts";
import { plainText } from "../plain-text.ts";
import type { Task, TaskBoard } from "../types.ts";
import { type Section, sectionsOf } from "./board.ts";
import { TaskMeta } from "./TaskMeta.tsx";
import { lineOf, standstillOf } from "./task-words.ts";
import { useTasks } from "./useTasks.ts";

/**
 * What was pressed is gone: the focus goes to the task that was looked at or queued, as soon as it
 * is shown, and until then to what makes a new one.
 */
function useFocusOn(task: number | null, board: TaskBoard | null) {
  const list = useRef<HTMLDivElement>(null);
  const create = useRef<HTMLButtonElement>(null);
  const waits = useRef(task);
  useEffect(() => {
    if (waits.current !== null) create.current?.focus();
  }, []);
  useEffect(() => {
    if (waits.current === null || board === null) return;
    const root = create.current?.getRootNode() as ShadowRoot;
    const row = list.current?.querySelector<HTMLElement>(`[data-task="${waits.current}"]`);
    const moved = root.activeElement !== create.current;
    if (row && !moved) row.focus();
    if (row || moved) waits.current = null;
  }, [board]);
  return { list, create };
}

/** What is queued, under way and done, in sections; what needs the owner comes first. */
export function TaskList({ last }: { last: number | null }): ReactElement {
  const { board, error, look, ahead } = useTasks();
  const desk = useDesk();
  const now = useNow(true) + ahead;
  const { list, create } = useFocusOn(last, board);
  const sections = board === null ? [] : sectionsOf(board);
  const empty = board !== null && sections.length === 0;
  return (
    <>
      <div className="task-tools">
        <Button ref={create} onClick={() => desk.showTask("new")}>
          New task
        </Button>
        <a href="/admin/tasks">Open the board</a>
      </div>
      {error !== null && (
        <Notice
          error={error}
          {...(board === null ? {} : { kept: "What is shown is from before." })}
        >
          <Button look="small" onClick={look}>
            Retry
          </Button>
        </Notice>
      )}
      {board !== null && <Standstill board={board} />}
      <div className="history tasks" role="region" aria-label="Tasks" tabIndex={0} ref={list}>
        {board === null && error === null && <Skeleton lines={6} />}
        {empty && (
          <div className="empty">
            <p>What you queue is carried out one by one, also while you are away.</p>
          </div>
        )}
        {sections.map((section) => (
          <TaskSection key={section.column} section={section} queue={board} now={now} />
        ))}
      </div>
    </>
  );
}

/** Why nothing is taken up, and what can be done about it. */
function Standstill({ board }: { board: TaskBoard }): ReactElement | null {
  const { api, look } = useTasks();
  const action = useAction();
  const words = standstillOf(board);
  if (words === null) return null;
  const busy = action.pending !== null;
  const perform = (name: string, work: () => Promise<void>): void =>
    void action.perform(name, async () => {
      await work();
      look();
    });
  return (
    <>
      {action.error && <Notice error={action.error} kept="The queue is as it was." />}
      <div className="notice calm">
        <p>{words}</p>
        {board.runners > 0 && (
          <div className="actions">
            <Button look="small" disabled={busy} onClick={() => perform("run", api.run)}>
              Run now
            </Button>
            <Button
              look="small"
              disabled={busy}
              onClick={() => perform("resume", () => api.pause(false))}
            >
              Resume queue
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function TaskSection(props: {
  section: Section;
  queue: TaskBoard | null;
  now: number;
}): ReactElement {
  const id = useId();
  const { title, items, total } = props.section;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        {title} <span className="quiet">{total}</span>
      </h3>
      <ul>
        {items.map((task) => (
          <TaskRow key={task.id} task={task} queue={props.queue} now={props.now} />
        ))}
      </ul>
    </section>
  );
}

function TaskRow(props: { task: Task; queue: TaskBoard | null; now: number }): ReactElement {
  const { task, queue, now } = props;
  const { showTask } = useDesk();
  const reasons = task.status === "needs_review" ? task.review : [];
  const line = lineOf(task, queue, now) || plainText(reasons.map((one) => one.message).join(" "));
  return (
    <li className="entry">
      <button type="button" className="open" data-task={task.id} onClick={() => showTask(task.id)}>
        <span>
          <span className="number">#{task.id}</span> {titleOf(task)}
        </span>
      </button>
      <TaskMeta task={task} now={now} />
      {line !== "" && <p className="quiet line-of">{line}</p>}
    </li>
  );
}
