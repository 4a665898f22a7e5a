import "./tasks.css";

import { type ReactElement, useRef } from "react";

import { lazyComponent } from "../../ui/lazy-component.tsx";
import { type Address, idIn, useAddress } from "../../ui/search-params.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { QueryError } from "../errors/QueryError.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { Board } from "./Board.tsx";
import { PauseButton } from "./PauseButton.tsx";
import { QueueBanners } from "./QueueBanners.tsx";
import { useBoard, useBoardAnnouncements } from "./useBoard.ts";
import { useNewTaskKey } from "./useNewTaskKey.ts";
import { usePanelLayout } from "./usePanelLayout.ts";
import { useQueueActions } from "./useTaskActions.ts";

const TaskPanel = lazyComponent(async () => (await import("./TaskPanel.tsx")).TaskPanel);
const NewTask = lazyComponent(async () => (await import("./NewTask.tsx")).NewTask);

interface ContentProps {
  query: ReturnType<typeof useBoard>;
  address: Address;
  openId: number | null;
  /** Opens the form for a new task. */
  onNew(): void;
}

/** The page's header, the queue's obstacles, and the board in all its states. */
function Content({ query, address, openId, onNew }: ContentProps): ReactElement {
  const queue = useQueueActions();
  const { data } = query;
  useBoardAnnouncements(data?.board);
  const add = (
    <Button variant="primary" icon="add" onClick={onNew}>
      New task
      <kbd aria-hidden="true">N</kbd>
    </Button>
  );
  const isEmpty = data?.board.columns.every(({ total }) => total === 0);
  return (
    <>
      <PageHeader title="Tasks">
        {data && <PauseButton paused={data.board.paused} queue={queue} />}
        {add}
      </PageHeader>
      {data && <QueueBanners board={data.board} queue={queue} />}
      {query.isError && <QueryError what="the board" query={query} />}
      {query.isPending && <Skeleton count={5} shape="card" label="Loading tasks…" />}
      {data && isEmpty && (
        <EmptyState action={add}>
          No tasks yet. Queue a change: safe ones go live automatically, and the others wait for
          your review.
        </EmptyState>
      )}
      {data && !isEmpty && (
        <Board board={data.board} address={address} skew={data.skew} openId={openId} />
      )}
    </>
  );
}

/** The tasks page: the board, a new task, and a task's details. */
export function TasksPage(): ReactElement {
  const address = useAddress();
  const { params, change } = address;
  const openId = idIn(params, "task");
  const query = useBoard();
  const page = useRef<HTMLDivElement>(null);
  const openNew = (): void => change({ new: 1 });
  useNewTaskKey(openNew);
  const room = usePanelLayout(page, openId, params.has("preview"));
  return (
    <>
      <div className="page tasks" ref={page} inert={room.covered}>
        <Content query={query} address={address} openId={openId} onNew={openNew} />
      </div>
      {openId !== null && (
        <TaskPanel
          key={openId}
          id={openId}
          address={address}
          board={query.data}
          narrow={room.narrow}
        />
      )}
      {params.has("new") && (
        <NewTask
          kind={params.get("new") === "case-study" ? "case-study" : "edit"}
          onClose={() => change({ new: null })}
          onCreated={(id) => change({ new: null, task: id }, "replace")}
        />
      )}
    </>
  );
}
