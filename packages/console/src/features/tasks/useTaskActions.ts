import { useMutation, useQueryClient } from "@tanstack/react-query";

import { ApiError } from "../../api/client.ts";
import { useAnnounce } from "../../api/context.tsx";
import type { Task, TaskAction, TaskDetail } from "../../api/types.ts";
import { titleOf } from "./labels.ts";
import { confirmationOf } from "./private-reason.ts";
import { tasksKey, useTaskApi } from "./task-api.ts";
import { taskKey } from "./useTask.ts";

const done: Readonly<Record<TaskAction, string>> = {
  approve: "is approved and goes live",
  cancel: "is cancelled",
  retry: "is queued again",
};

/** The actions on one task, one at a time; whatever comes of one, everything is looked at again. */
export function useTaskActions(task: Task) {
  const api = useTaskApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: (action: TaskAction) => {
      // Where it has private text the owner was asked before.
      const confirmed = action === "approve" ? confirmationOf(task) : {};
      return api.act(action, task.id, confirmed);
    },
    onSuccess: (now, action) => {
      queries.setQueryData<TaskDetail>(taskKey(task.id), (known) => known && { ...known, ...now });
      announce(`“${titleOf(task)}” ${done[action]}.`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: tasksKey }),
  });
}

export type QueueActions = ReturnType<typeof useQueueActions>;

/** Pausing and resuming the queue, and working it off once. */
export function useQueueActions() {
  const api = useTaskApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => queries.invalidateQueries({ queryKey: tasksKey });
  const pause = useMutation({
    mutationFn: api.pause,
    onSuccess: ({ paused }) => announce(paused ? "The queue is paused." : "The queue goes on."),
    onSettled,
  });
  const run = useMutation({
    mutationFn: api.run,
    onSuccess: () => announce("What is queued is worked off now."),
    onSettled,
  });
  return { pause, run };
}

/** Whether a refusal says that the task is no longer what it was taken for. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_state";
}
