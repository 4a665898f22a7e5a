import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { type Client, ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { Page, QaFinding } from "../../api/types.ts";
import { uniqueBy } from "../../ui/unique-by.ts";
import { queryOf, type View } from "./filters.ts";
import { api, findingsKey } from "./useOverview.ts";

const perPage = 100;
/** Pages of the list that load automatically, so that checks are shown completely. */
const autoLoadedPages = 5;
/** The polling interval while findings are being assessed, in ms. */
const assessmentPollMs = 3000;

/** Whether the server hasn't assessed the finding yet. */
export function isAwaitingAssessment({ status, isAssessed }: QaFinding): boolean {
  return status === "open" && !isAssessed;
}

/** The finding with this ID as a list; empty if there is none. */
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

/** The findings of a view, most severe first. */
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
    /** Whether there are more to load on request. */
    hasMore: hasNextPage && loaded >= autoLoadedPages,
  };
}
