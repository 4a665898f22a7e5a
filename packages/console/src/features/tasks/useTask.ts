import { useQuery } from "@tanstack/react-query";

import { useClient } from "../../api/context.tsx";
import type { TaskDetail } from "../../api/types.ts";
import { taskInterval } from "./polling.ts";
import { api, useVisible } from "./useBoard.ts";
import { taskKey } from "./useTaskActions.ts";

/** One task with all that is known of it, looked at again as long as it is shown. */
export function useTask(id: number) {
  const client = useClient();
  const visible = useVisible();
  return useQuery({
    queryKey: taskKey(id),
    queryFn: ({ signal }) => client.get<TaskDetail>(`${api}/get`, { id }, signal),
    refetchInterval: (query) => taskInterval(query.state.data, visible),
    refetchIntervalInBackground: true,
  });
}
