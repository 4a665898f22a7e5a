import { type ReactElement, useEffect, useState } from "react";

import type { BoardColumn, Task, TaskBoard } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { type Address, changeSearch, readChoice } from "../../ui/search-params.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { columnPreview } from "./column-preview.ts";
import { columns } from "./labels.ts";
import { MoreTasks, useLoadMore } from "./MoreTasks.tsx";
import { TaskCard } from "./TaskCard.tsx";

interface BoardProps {
  board: TaskBoard;
  address: Address;
  skew: number;
  /** The task whose details are open. */
  openId: number | null;
}

const names = columns.map(({ column }) => column);

/** The column that the list shows. */
function visibleIn({ params }: Address): BoardColumn | null {
  return readChoice<BoardColumn>(params, "column", names);
}

function Chips({ board, address }: BoardProps): ReactElement {
  const totals = new Map(board.columns.map(({ column, total }) => [column, total]));
  const all = [...totals.values()].reduce((sum, total) => sum + total, 0);
  return (
    <div className="task-chips">
      <SegmentedControl<BoardColumn | "">
        legend="Which tasks are shown"
        value={visibleIn(address) ?? ""}
        options={[
          { value: "", label: "All", count: all },
          ...columns.map(({ column, label }) => ({
            value: column,
            label,
            count: totals.get(column) ?? 0,
          })),
        ]}
        onChange={(column) => address.change({ column })}
      />
    </div>
  );
}

interface ColumnProps extends BoardProps {
  place: (typeof columns)[number];
}

/** The cards of a column; older finished ones are loaded on request. */
function Stack(props: ColumnProps & { items: readonly Task[]; total: number }): ReactElement {
  const { place, items, total, openId, address, skew } = props;
  const has = (some: readonly Task[]): boolean => some.some(({ id }) => id === openId);
  const few = columnPreview(place.column, items);
  // An address that selects an older one shows its place.
  const [older, setOlder] = useState(has(items) && !has(few));
  const newest = older ? items : few;
  const { list, onMore } = useLoadMore(newest.length);
  const card = (task: Task): ReactElement => (
    <TaskCard
      key={task.id}
      task={task}
      skew={skew}
      open={task.id === openId}
      href={location.pathname + changeSearch(location.search, { task: task.id, preview: null })}
      onOpen={(id) => address.change({ task: id, preview: null })}
    />
  );
  return (
    <>
      <ul ref={list}>{newest.map(card)}</ul>
      {newest.length < items.length && (
        <Button
          label={`Show older tasks (${total} in total)`}
          onClick={() => {
            onMore();
            setOlder(true);
          }}
        >
          Show older
        </Button>
      )}
      {newest.length === items.length && total > items.length && (
        <MoreTasks column={place.column} known={items} total={total}>
          {card}
        </MoreTasks>
      )}
    </>
  );
}

function Column(props: ColumnProps): ReactElement {
  const { board, address, place } = props;
  const { column, label, empty } = place;
  const { items = [], total = 0 } = board.columns.find((found) => found.column === column) ?? {};
  const shown = visibleIn(address);
  const id = `tasks-${column}`;
  return (
    <section
      className="task-column"
      data-column={column}
      data-left-out={shown !== null && shown !== column}
      data-empty={total === 0}
      aria-labelledby={id}
    >
      <h2 id={id}>
        {label} <span className="count">{total}</span>
      </h2>
      <div className="task-stack">
        {items.length === 0 ? (
          <p className="task-none">{empty}</p>
        ) : (
          <Stack {...props} items={items} total={total} />
        )}
      </div>
    </section>
  );
}

/** Whether something has been shown already: what comes later may be animated. */
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return settled;
}

/** All tasks by state: in columns, or as a list with less space. */
export function Board(props: BoardProps): ReactElement {
  const settled = useSettled();
  return (
    <div className="task-board" data-settled={settled}>
      <Chips {...props} />
      <div className="task-columns">
        {columns.map((place) => (
          <Column key={place.column} {...props} place={place} />
        ))}
      </div>
    </div>
  );
}
