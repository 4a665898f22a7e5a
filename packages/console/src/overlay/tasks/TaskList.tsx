import { type ReactElement, useEffect, useId, useRef } from "react";

import type { Task, TaskBoard } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { titleOf } from "../../features/tasks/labels.ts";
import { summaryLine, queueBlockedText } from "../../features/tasks/summary-labels.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useNow } from "../../ui/useNow.ts";
import { useConsoleState } from "../useConsoleState.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { TaskMeta } from "./TaskMeta.tsx";
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
  const { board, error, refresh, clockOffsetMs } = useTasks();
  const consoleState = useConsoleState();
  const now = useNow(true) + clockOffsetMs;
  const { list, create } = useFocusOn(last, board);
  const sections = board === null ? [] : sectionsOf(board);
  const empty = board !== null && sections.length === 0;
  return (
    <>
      <div className="task-tools">
        <Button ref={create} onClick={() => consoleState.showTask("new")}>
          New task
        </Button>
        <a href="/admin/tasks">Open the board</a>
      </div>
      {error !== null && (
        <RefusalNotice
          error={error}
          {...(board === null ? {} : { kept: "What is shown is from before." })}
        >
          <Button variant="small" onClick={refresh}>
            Retry
          </Button>
        </RefusalNotice>
      )}
      {board !== null && <Standstill board={board} />}
      <div className="history tasks" role="region" aria-label="Tasks" tabIndex={0} ref={list}>
        {board === null && error === null && <Skeleton count={6} shape="line" />}
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
  const { api, refresh } = useTasks();
  const action = useAction();
  const words = queueBlockedText(board);
  if (words === null) return null;
  const busy = action.pending !== null;
  const perform = (name: string, work: () => Promise<void>): void =>
    void action.perform(name, async () => {
      await work();
      refresh();
    });
  return (
    <>
      {action.error && <RefusalNotice error={action.error} kept="The queue is as it was." />}
      <Notice
        kind="info"
        quiet
        actions={
          board.runners > 0 && (
            <>
              <Button variant="small" disabled={busy} onClick={() => perform("run", api.run)}>
                Run now
              </Button>
              <Button
                variant="small"
                disabled={busy}
                onClick={() => perform("resume", () => api.pause(false))}
              >
                Resume queue
              </Button>
            </>
          )
        }
      >
        {words}
      </Notice>
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
  const { showTask } = useConsoleState();
  const reasons = task.status === "needs_review" ? task.review : [];
  const line =
    summaryLine(task, queue, now) || plainText(reasons.map((one) => one.message).join(" "));
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
