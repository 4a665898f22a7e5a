import { useQuery } from "@tanstack/react-query";

import { useVisible } from "../../ui/useVisible.ts";
import { taskInterval } from "./polling.ts";
import { tasksKey, useTaskApi } from "./task-api.ts";

export const taskKey = (id: number) => [...tasksKey, "task", id] as const;

/** One task with all that is known of it, looked at again as long as it is shown. */
export function useTask(id: number) {
  const api = useTaskApi();
  const visible = useVisible();
  return useQuery({
    queryKey: taskKey(id),
    queryFn: ({ signal }) => api.get(id, signal),
    refetchInterval: (query) => taskInterval(query.state.data, visible),
  });
}
