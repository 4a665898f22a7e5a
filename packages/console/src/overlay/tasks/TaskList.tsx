import { type ReactElement, useEffect, useId, useRef } from "react";

import type { TaskBoard } from "../../api/types.ts";
import { QueryError } from "../../features/errors/QueryError.tsx";
import { PauseButton } from "../../features/tasks/PauseButton.tsx";
import { QueueBanners } from "../../features/tasks/QueueBanners.tsx";
import { TaskCard } from "../../features/tasks/TaskCard.tsx";
import { type BoardSnapshot, useBoard } from "../../features/tasks/useBoard.ts";
import { useQueueActions } from "../../features/tasks/useTaskActions.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { tabPace } from "./tab-pace.ts";

/**
 * The pressed button is gone: the focus moves to the viewed or queued task as soon as it is shown,
 * and until then to the button for a new one.
 */
function useFocusOn(task: number | null, board: TaskBoard | undefined) {
  const list = useRef<HTMLDivElement>(null);
  const create = useRef<HTMLButtonElement>(null);
  const waits = useRef(task);
  useEffect(() => {
    if (waits.current !== null) create.current?.focus();
  }, []);
  useEffect(() => {
    if (waits.current === null || board === undefined) return;
    const root = create.current?.getRootNode() as ShadowRoot;
    const card = `[data-task-id="${waits.current}"] .task-lead`;
    const lead = list.current?.querySelector<HTMLElement>(card);
    const moved = root.activeElement !== create.current;
    if (lead && !moved) lead.focus();
    if (lead || moved) waits.current = null;
  }, [board]);
  return { list, create };
}

function TaskSection(props: { section: Section; skew: number }): ReactElement {
  const { showTask } = useConsoleState();
  const id = useId();
  const { title, items, total } = props.section;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        {title} <span className="quiet">{total}</span>
      </h3>
      <ul className="task-list">
        {items.map((task) => (
          <TaskCard key={task.id} task={task} skew={props.skew} heading="h4" onOpen={showTask} />
        ))}
      </ul>
    </section>
  );
}

/** The tasks in sections; what needs the owner comes first. */
function Sections({ board, skew }: BoardSnapshot): ReactElement {
  const sections = sectionsOf(board);
  if (sections.length === 0) {
    return <EmptyState>Queued tasks run one at a time, even while you’re away.</EmptyState>;
  }
  return (
    <>
      {sections.map((section) => (
        <TaskSection key={section.column} section={section} skew={skew} />
      ))}
    </>
  );
}

/** Waiting, running, and finished tasks, and the queue's obstacles. */
export function TaskList({ last }: { last: number | null }): ReactElement {
  const refresh = useBoard(tabPace);
  const { data } = refresh;
  const queue = useQueueActions();
  const consoleState = useConsoleState();
  const { list, create } = useFocusOn(last, data?.board);
  return (
    <>
      <div className="tab-tools">
        <Button ref={create} onClick={() => consoleState.showTask("new")}>
          New task
        </Button>
        {data && <PauseButton paused={data.board.paused} queue={queue} />}
        <a href="/admin/tasks">Open the board</a>
      </div>
      <div className="tab-list tasks" role="region" aria-label="Tasks" tabIndex={0} ref={list}>
        {refresh.isError && <QueryError what="the board" query={refresh} />}
        {data && <QueueBanners board={data.board} queue={queue} />}
        {refresh.isPending && <Skeleton count={6} shape="line" label="Loading tasks…" />}
        {data && <Sections {...data} />}
      </div>
    </>
  );
}
