import { createContext, useCallback, useContext, useRef, useState } from "react";

import type { ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { TaskBoard, TaskCounts } from "../../api/types.ts";
import { usePolling } from "../../api/usePolling.ts";
import { countsOf } from "./counts.ts";
import { boardNews } from "./sections.ts";
import { makeTaskApi, type TaskApi } from "./task-api.ts";

/** Between two looks, in ms: while the tab of the tasks is shown, and otherwise. */
const lookEvery = { shown: 3_000, aside: 10_000 };

/** The queue as the console knows it. */
export interface Tasks {
  api: TaskApi;
  /** How many are where; null while that is not known. */
  counts: TaskCounts | null;
  /** What the board showed last; kept when a look fails. */
  board: TaskBoard | null;
  /** How far the server's clock is ahead of this browser's, in ms. */
  ahead: number;
  /** Why the last look failed. */
  error: ApiError | null;
  /** What happened last, for who listens instead of looking. */
  news: string;
  /** Looks again at once. */
  look(): void;
}

export const TasksContext = createContext<Tasks | null>(null);

/** The queue that a part of the console works on. */
export function useTasks(): Tasks {
  const value = useContext(TasksContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

type Known = Pick<Tasks, "counts" | "board" | "ahead">;

const nothing: Known = { counts: null, board: null, ahead: 0 };

/**
 * Looks at the queue while the browser's tab is seen: at the counts while the console is closed, at
 * the board while it is open, oftener while that is shown.
 */
export function useTasksState(open: boolean, shown: boolean): Tasks {
  const client = useClient();
  const [api] = useState(() => makeTaskApi(client));
  const [known, setKnown] = useState(nothing);
  const [news, setNews] = useState("");
  const last = useRef<TaskBoard | null>(null);
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const tell = (found: Partial<Known>): void => {
        if (!signal.aborted) setKnown((before) => ({ ...before, ...found }));
      };
      if (!open) return tell({ counts: await api.counts() });
      const board = await api.board();
      const before = last.current;
      // The same board tells the time of when it was new.
      if (signal.aborted || board === before) return tell({ board, counts: countsOf(board) });
      last.current = board;
      const told = boardNews(before, board);
      if (told.length > 0) setNews(told.join(". "));
      tell({ board, counts: countsOf(board), ahead: Date.parse(board.now) - Date.now() });
    },
    [api, open],
  );
  const looks = usePolling(ask, open && shown ? lookEvery.shown : lookEvery.aside);
  return { api, ...known, news, ...looks };
}
