import { ApiError } from "../../api/client.ts";
import type { Task, TaskAction, TaskDetail } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { titleOf } from "./labels.ts";
import { confirmationOf } from "./private-reason.ts";
import { tasksKey, useTaskApi } from "./task-api.ts";
import { taskKey } from "./useTask.ts";

const done: Readonly<Record<TaskAction, string>> = {
  approve: "approved and going live",
  cancel: "is cancelled",
  retry: "queued again",
};

/** The actions on a task, one at a time; everything is refreshed afterwards. */
export function useTaskActions(task: Task) {
  const api = useTaskApi();
  return useChange<TaskAction, Task>({
    send(_, action) {
      // The owner was asked about private text before.
      const confirmed = action === "approve" ? confirmationOf(task) : {};
      return api.act(action, task.id, confirmed);
    },
    updateCache(queries, now) {
      queries.setQueryData<TaskDetail>(taskKey(task.id), (known) => known && { ...known, ...now });
    },
    announcement: (_, action) => `“${titleOf(task)}” ${done[action]}.`,
    awaited: [tasksKey],
  });
}

export type QueueActions = ReturnType<typeof useQueueActions>;

/** Pausing and resuming the queue, and running it once. */
export function useQueueActions() {
  const api = useTaskApi();
  const awaited = [tasksKey];
  const pause = useChange<boolean, { paused: boolean }>({
    send: (_, paused) => api.pause(paused),
    announcement: ({ paused }) => (paused ? "The queue is paused." : "Queue resumed."),
    awaited,
  });
  const run = useChange({
    send: () => api.run(),
    announcement: () => "Running queued tasks.",
    awaited,
  });
  return { pause, run };
}

/** Whether an error says that the task has changed in the meantime. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_state";
}
