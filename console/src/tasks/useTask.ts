import { useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import type { Task, TaskDetail } from "../types.ts";
import { taskIn } from "./board.ts";
import { useTasks } from "./useTasks.ts";

export interface OneTask {
  task: Task | null;
  /** With its runs and what happened; null until it was read. */
  detail: TaskDetail | null;
  error: ApiError | null;
  retry(): void;
  /** Takes over what an action answered. */
  update(task: Task): void;
}

/** Of two readings of a task the newer. */
function newer(one: Task | null, other: Task | null): Task | null {
  if (one === null || other === null) return one ?? other;
  return other.updatedAt > one.updatedAt ? other : one;
}

/** One task with its runs; it is read again when the board shows it changed, or `turn` changes. */
export function useTask(id: number, turn: string): OneTask {
  const { epoch, expire } = useConsole();
  const { api, board } = useTasks();
  const [detail, setDetail] = useState<TaskDetail | null>(null);
  const [answered, setAnswered] = useState<Task | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const onBoard = taskIn(board, id);
  const run = onBoard?.run;
  const seen = [onBoard?.updatedAt, onBoard?.status, run?.id, run?.status].join();
  useEffect(() => {
    let current = true;
    async function read(): Promise<void> {
      try {
        const found = await api.get(id);
        if (!current) return;
        setError(null);
        setDetail(found);
      } catch (cause) {
        if (!current || !(cause instanceof ApiError)) return;
        if (cause.status === 401) expire();
        else setError(cause);
      }
    }
    void read();
    return () => {
      current = false;
    };
  }, [api, id, epoch, expire, seen, turn, attempt]);
  return {
    // The board is looked at oftener, and says what the run does right now.
    task: newer(newer(onBoard, detail), answered),
    detail,
    error,
    retry: () => setAttempt(attempt + 1),
    update: setAnswered,
  };
}
