import { useCallback, useState } from "react";

import type { ApiError } from "../../api/client.ts";
import type { Task, TaskDetail } from "../../api/types.ts";
import { useRequest } from "../../api/useRequest.ts";
import { taskIn } from "./sections.ts";
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
  const { api, board } = useTasks();
  const [answered, setAnswered] = useState<Task | null>(null);
  const onBoard = taskIn(board, id);
  const run = onBoard?.run;
  const seen = [onBoard?.updatedAt, onBoard?.status, run?.id, run?.status, turn].join();
  // oxlint-disable-next-line react/exhaustive-deps -- what was seen decides when it is read again
  const ask = useCallback(() => api.get(id), [api, id, seen]);
  const { data: detail, error, retry } = useRequest(ask);
  return {
    // The board is looked at oftener, and says what the run does right now.
    task: newer(newer(onBoard, detail), answered),
    detail,
    error,
    retry,
    update: setAnswered,
  };
}
