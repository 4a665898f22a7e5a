import { useQuery } from "@tanstack/react-query";

import { useVisible } from "../../ui/useVisible.ts";
import { taskInterval } from "./polling.ts";
import { tasksKey, useTaskApi } from "./task-api.ts";

export const taskKey = (id: number) => [...tasksKey, "task", id] as const;

/** A task with all its details, polled while it is shown. */
export function useTask(id: number) {
  const api = useTaskApi();
  const visible = useVisible();
  return useQuery({
    queryKey: taskKey(id),
    queryFn: ({ signal }) => api.get(id, signal),
    refetchInterval: (query) => taskInterval(query.state.data, visible),
  });
}
