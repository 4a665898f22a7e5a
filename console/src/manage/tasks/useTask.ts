import { useQuery } from "@tanstack/react-query";

import { useClient } from "../context.tsx";
import type { TaskDetail } from "../types.ts";
import { taskEvery } from "./polling.ts";
import { api, useVisible } from "./useBoard.ts";
import { taskKey } from "./useTaskActions.ts";

/** One task with all that is known of it, looked at again as long as it is shown. */
export function useTask(id: number) {
  const client = useClient();
  const visible = useVisible();
  return useQuery({
    queryKey: taskKey(id),
    queryFn: ({ signal }) => client.get<TaskDetail>(`${api}/get`, { id }, signal),
    refetchInterval: (query) => taskEvery(query.state.data, visible),
    refetchIntervalInBackground: true,
  });
}
