import { useMutation, useQueryClient } from "@tanstack/react-query";

import { ApiError } from "../../api/client.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import type { Task, TaskDetail } from "../../api/types.ts";
import { titleOf } from "./labels.ts";
import { confirmationOf } from "./private-reason.ts";
import { api, boardKey } from "./useBoard.ts";

export const taskKey = (id: number) => ["tasks", "task", id] as const;

/** What a person can do with a task. */
export type TaskAction = "approve" | "cancel" | "retry";

const done: Readonly<Record<TaskAction, string>> = {
  approve: "is approved and goes live",
  cancel: "is cancelled",
  retry: "is queued again",
};

/** The actions on one task, one at a time; whatever comes of one, everything is looked at again. */
export function useTaskActions(task: Task) {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: (action: TaskAction) => {
      // Where it has private text the owner was asked before.
      const confirmed = action === "approve" ? confirmationOf(task) : {};
      return client.post<Task>(`${api}/${action}`, { id: task.id, ...confirmed });
    },
    onSuccess: (now, action) => {
      queries.setQueryData<TaskDetail>(taskKey(task.id), (known) => known && { ...known, ...now });
      announce(`“${titleOf(task)}” ${done[action]}.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["tasks"] }),
  });
}

export type QueueActions = ReturnType<typeof useQueueActions>;

/** Pausing and resuming the queue, and working it off once. */
export function useQueueActions() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => queries.invalidateQueries({ queryKey: boardKey });
  const pause = useMutation({
    mutationFn: (paused: boolean) =>
      client.post<{ paused: boolean }>(`${api}/${paused ? "pause" : "resume"}`, {}),
    onSuccess: ({ paused }) => announce(paused ? "The queue is paused." : "The queue goes on."),
    onSettled,
  });
  const run = useMutation({
    mutationFn: () => client.post<{ queued: number }>("/devconsole/tasks/run", {}),
    onSuccess: () => announce("What is queued is worked off now."),
    onSettled,
  });
  return { pause, run };
}

/** Whether a refusal says that the task is no longer what it was taken for. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_state";
}
