import { createContext, useCallback, useContext, useRef, useState } from "react";

import type { ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { TaskBoard, TaskCounts } from "../../api/types.ts";
import { usePolling } from "../../api/usePolling.ts";
import { countsOf } from "./counts.ts";
import { boardAnnouncement } from "./sections.ts";
import { makeTaskApi, type TaskApi } from "./task-api.ts";

/** Between two looks, in ms: while the tab of the tasks is shown, and otherwise. */
const pollIntervalMs = { shown: 3_000, aside: 10_000 };

/** The queue as the console knows it. */
export interface Tasks {
  api: TaskApi;
  /** How many are where; null while that is not known. */
  counts: TaskCounts | null;
  /** What the board showed last; kept when a look fails. */
  board: TaskBoard | null;
  /** How far the server's clock is ahead of this browser's, in ms. */
  clockOffsetMs: number;
  /** Why the last look failed. */
  error: ApiError | null;
  /** What happened last, for who listens instead of looking. */
  announcement: string;
  /** Looks again at once. */
  refresh(): void;
}

export const TasksContext = createContext<Tasks | null>(null);

/** The queue that a part of the console works on. */
export function useTasks(): Tasks {
  const value = useContext(TasksContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

type BoardState = Pick<Tasks, "counts" | "board" | "clockOffsetMs">;

const nothing: BoardState = { counts: null, board: null, clockOffsetMs: 0 };

/**
 * Looks at the queue while the browser's tab is seen: at the counts while the console is closed, at
 * the board while it is open, oftener while that is shown.
 */
export function useTasksState(open: boolean, shown: boolean): Tasks {
  const client = useClient();
  const [api] = useState(() => makeTaskApi(client));
  const [known, setKnown] = useState(nothing);
  const [announcement, setAnnouncement] = useState("");
  const last = useRef<TaskBoard | null>(null);
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const tell = (found: Partial<BoardState>): void => {
        if (!signal.aborted) setKnown((before) => ({ ...before, ...found }));
      };
      if (!open) return tell({ counts: await api.counts() });
      const board = await api.board();
      const before = last.current;
      // The same board tells the time of when it was new.
      if (signal.aborted || board === before) return tell({ board, counts: countsOf(board) });
      last.current = board;
      const reported = boardAnnouncement(before, board);
      if (reported.length > 0) setAnnouncement(reported.join(". "));
      tell({ board, counts: countsOf(board), clockOffsetMs: Date.parse(board.now) - Date.now() });
    },
    [api, open],
  );
  const looks = usePolling(ask, open && shown ? pollIntervalMs.shown : pollIntervalMs.aside);
  return { api, ...known, announcement, ...looks };
}
