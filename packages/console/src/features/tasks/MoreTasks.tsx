import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";

import { useClient } from "../../api/context.tsx";
import type { BoardColumn, Page, Task, TaskStatus } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { uniqueBy } from "../../ui/unique-by.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { slowIntervalMs } from "./polling.ts";
import { tasksKey } from "./task-api.ts";

/** The same number as in a column of the board. */
const perPage = 50;

const statusesOf: Readonly<Record<BoardColumn, readonly TaskStatus[]>> = {
  queued: ["queued"],
  running: ["claimed", "building"],
  needs_review: ["needs_review"],
  published: ["published"],
  ended: ["reverted", "failed", "cancelled"],
};

/** The button moves or disappears: the focus moves to the first new task. */
export function useLoadMore(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<number | null>(null);
  useEffect(() => {
    const first = before.current === null ? null : list.current?.children[before.current];
    if (!first) return;
    before.current = null;
    first.querySelector("a")?.focus();
  }, [count]);
  const onMore = (): void => {
    before.current = count;
  };
  return { list, onMore };
}

/** Older tasks of a column, loaded page by page on request. */
export function MoreTasks(props: {
  column: BoardColumn;
  /** Those that are already shown. */
  known: readonly Task[];
  total: number;
  children: (task: Task) => ReactNode;
}): ReactElement {
  const { column, known, total } = props;
  const client = useClient();
  const [wanted, setWanted] = useState(false);
  const more = useInfiniteQuery({
    queryKey: [...tasksKey, "more", column],
    enabled: wanted,
    initialPageParam: 2,
    // Refreshed like those of the board.
    refetchInterval: slowIntervalMs,
    queryFn: ({ pageParam, signal }) => {
      const status = statusesOf[column].join(",");
      const sort = column === "queued" ? "queue" : "newest";
      const query = { status, sort, page: pageParam, perPage };
      return client.get<Page<Task>>("/api/admintasks/list", query, signal);
    },
    getNextPageParam: (last) => (last.page * perPage < last.total ? last.page + 1 : null),
  });
  const ids = new Set(known.map(({ id }) => id));
  const found = (more.data?.pages ?? []).flatMap(({ items }) => items);
  const others = uniqueBy(found, ({ id }) => id).filter(({ id }) => !ids.has(id));
  const { list, onMore } = useLoadMore(others.length);
  // Reloading what is shown isn't announced.
  const busy = wanted && (more.isFetchingNextPage || more.isPending);
  return (
    <>
      {others.length > 0 && <ul ref={list}>{others.map(props.children)}</ul>}
      {(more.isFetchNextPageError || (more.isError && !more.data)) && (
        <ErrorState
          what="Couldn’t load more tasks."
          error={more.error}
          busy={more.isFetching}
          onRetry={() => void (more.data ? more.fetchNextPage() : more.refetch())}
        />
      )}
      {(busy || !wanted || more.hasNextPage) && (
        <Button
          busy={busy}
          label={`Show more tasks (${total} in total)`}
          onClick={() => {
            onMore();
            if (wanted) void more.fetchNextPage();
            else setWanted(true);
          }}
        >
          Show more
        </Button>
      )}
    </>
  );
}
