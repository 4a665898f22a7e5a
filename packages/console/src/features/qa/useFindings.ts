import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { type Client, ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { Page, QaFinding } from "../../api/types.ts";
import { uniqueBy } from "../../ui/unique-by.ts";
import { queryOf, type View } from "./filters.ts";
import { api, findingsKey } from "./useOverview.ts";

const perPage = 100;
/** So many pages of the list come by themselves, so that a check is told as a whole. */
const autoLoadedPages = 5;
/** How soon the list is read again while sources are still being looked up, in ms. */
const assessmentPollMs = 3000;

/** Whether the server hasn't looked up yet where the finding comes from and whether it can be fixed. */
export function isAwaitingAssessment({ status, isAssessed }: QaFinding): boolean {
  return status === "open" && !isAssessed;
}

/** The one finding of this id as a list; none where there is no such. */
async function findAlone(
  client: Client,
  id: number,
  signal: AbortSignal,
): Promise<Page<QaFinding>> {
  const page = { page: 1, perPage };
  try {
    const item = await client.get<QaFinding>(`${api}/finding`, { id }, signal);
    return { ...page, items: [item], total: 1 };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "not_found") throw error;
    return { ...page, items: [], total: 0 };
  }
}

/** The findings that a view shows, the weightiest first. */
export function useFindings(view: View) {
  const client = useClient();
  const query = queryOf(view);
  const { finding } = view;
  const found = useInfiniteQuery({
    queryKey: [...findingsKey, query, finding],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      finding === null
        ? client.get<Page<QaFinding>>(
            `${api}/findings`,
            { ...query, sort: "weight", page: pageParam, perPage },
            signal,
          )
        : findAlone(client, finding, signal),
    getNextPageParam: (last) => (last.page * perPage < last.total ? last.page + 1 : null),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isAwaitingAssessment))
        ? assessmentPollMs
        : false,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = found;
  const loaded = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && loaded < autoLoadedPages) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, loaded, fetchNextPage]);
  const items = (data?.pages ?? []).flatMap((page) => page.items);
  const findings = uniqueBy(items, ({ id }) => id);
  return {
    ...found,
    findings,
    total: data?.pages.at(-1)?.total ?? 0,
    /** Whether there are more that come only when they are asked for. */
    hasMore: hasNextPage && loaded >= autoLoadedPages,
  };
}
