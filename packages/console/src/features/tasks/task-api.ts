import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Client } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { Task, TaskAction, TaskBoard, TaskCounts, TaskDetail } from "../../api/types.ts";

const at = "/api/admintasks";

/** The key of all queries about the queue. */
export const tasksKey = ["tasks"] as const;
export const countsKey = [...tasksKey, "counts"] as const;

/** The last response for the board, with its ETag. */
const boards = new WeakMap<Client, { etag: string | null; board: TaskBoard }>();

/** The task queue's API for the browser. Each call rejects with an ApiError. */
export function makeTaskApi(client: Client) {
  const { get, getChanged, post } = client;
  return {
    /** The same object as before while nothing has changed. */
    async board(signal?: AbortSignal): Promise<TaskBoard> {
      const known = boards.get(client);
      const found = await getChanged<TaskBoard>(`${at}/board`, known?.etag ?? null, signal);
      if (found !== null) boards.set(client, { etag: found.etag, board: found.data });
      const board = found?.data ?? known?.board;
      if (!board) throw new Error("There is no board that could be the same.");
      return board;
    },
    counts: (signal?: AbortSignal) => get<TaskCounts>(`${at}/counts`, {}, signal),
    get: (id: number, signal?: AbortSignal) => get<TaskDetail>(`${at}/get`, { id }, signal),
    create: (task: object) => post<Task>(`${at}/create`, task),
    /** An approval includes the confirmation of private text. */
    act: (action: TaskAction, id: number, confirmed: { confirmPrivate?: string } = {}) =>
      post<Task>(`${at}/${action}`, { id, ...confirmed }),
    /** Pauses or resumes starting tasks automatically. */
    pause: (paused: boolean) =>
      post<{ paused: boolean }>(`${at}/${paused ? "pause" : "resume"}`, {}),
    /** Runs due tasks, even while the queue is paused. */
    run: () => post<{ queued: number }>("/devconsole/tasks/run", {}),
  };
}

/** Requests about the task queue, for components. */
export function useTaskApi() {
  const client = useClient();
  return useMemo(() => makeTaskApi(client), [client]);
}

/** The number of tasks by place, polled every ten seconds; null while unknown. */
export function useTaskCounts(): TaskCounts | null {
  const api = useTaskApi();
  const counts = useQuery({
    queryKey: countsKey,
    queryFn: ({ signal }) => api.counts(signal),
    staleTime: 0,
    refetchInterval: 10_000,
  });
  return counts.data ?? null;
}
