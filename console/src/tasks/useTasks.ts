import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import { pause, whenVisible } from "../hooks/visible.ts";
import type { TaskBoard, TaskCounts } from "../types.ts";
import { newsOf } from "./board.ts";
import { countsOf } from "./counts.ts";
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

type Known = Pick<Tasks, "counts" | "board" | "ahead" | "error">;

const nothing: Known = { counts: null, board: null, ahead: 0, error: null };

/**
 * Looks at the queue while the browser's tab is seen: at the counts while the console is closed, at
 * the board while it is open, oftener while that is shown.
 */
export function useTasksState(open: boolean, shown: boolean): Tasks {
  const { epoch, expire } = useConsole();
  const [api] = useState(() => makeTaskApi(fetch.bind(globalThis)));
  const [known, setKnown] = useState(nothing);
  const [news, setNews] = useState("");
  const last = useRef<TaskBoard | null>(null);
  const wake = useRef<() => void>(() => {});
  const asked = useRef(false);
  const look = useCallback(() => {
    asked.current = true;
    wake.current();
  }, []);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    async function ask(): Promise<Partial<Known>> {
      if (!open) return { counts: await api.counts() };
      const board = await api.board();
      const before = last.current;
      const found = { board, counts: countsOf(board) };
      // The same board tells the time of when it was new.
      if (signal.aborted || board === before) return found;
      last.current = board;
      const told = newsOf(before, board);
      if (told.length > 0) setNews(told.join(". "));
      return { ...found, ahead: Date.parse(board.now) - Date.now() };
    }
    async function follow(): Promise<void> {
      while (!signal.aborted) {
        await whenVisible(signal);
        if (signal.aborted) return;
        asked.current = false;
        try {
          const found = await ask();
          if (signal.aborted) return;
          setKnown((before) => ({ ...before, error: null, ...found }));
        } catch (cause) {
          if (signal.aborted) return;
          const error =
            cause instanceof ApiError
              ? cause
              : new ApiError("internal", "Something went wrong here.");
          // It goes on when the session was renewed.
          if (error.status === 401) return expire();
          setKnown((before) => ({ ...before, error }));
        }
        // Somebody has changed something while the answer was on its way.
        if (asked.current) continue;
        const every = open && shown ? lookEvery.shown : lookEvery.aside;
        await pause(every, signal, (end) => (wake.current = end));
      }
    }
    void follow();
    return () => abort.abort();
  }, [api, open, shown, epoch, expire]);
  return { api, ...known, news, look };
}
