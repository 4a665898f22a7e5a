import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { useClient } from "../../api/context.tsx";
import type { Page, Run, RunStatus } from "../../api/types.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";

/** How many runs are on a page. */
export const perPage = 25;

export const shownStatuses = ["preview_ready", "published", "discarded", "failed"] as const;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const status = readChoice<RunStatus>(params, "status", shownStatuses);
  return { status, page: pageIn(params), filtered: status !== null };
}

export type RunListView = ReturnType<typeof viewOf>;

export function useRunList({ status, page }: RunListView) {
  const client = useClient();
  const query = { status, page, perPage };
  return useQuery({
    queryKey: ["runs", "list", query],
    queryFn: ({ signal }) => client.get<Page<Run>>("/devconsole/runs", query, signal),
    placeholderData: keepPreviousData,
  });
}
