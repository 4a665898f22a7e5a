import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";

import { uniqueBy } from "../ui/unique-by.ts";
import type { Page } from "./types.ts";

/** A list loaded page by page, again each time it is shown, with each item once. */
export function usePages<T extends { id: number | string }>(
  queryKey: QueryKey,
  load: (page: number) => Promise<Page<T>>,
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: 1,
    staleTime: 0,
    getNextPageParam: ({ page, perPage, total }) => (page * perPage < total ? page + 1 : null),
  });
  const items = query.data?.pages.flatMap((page) => page.items);
  return { ...query, items: items && uniqueBy(items, ({ id }) => id) };
}
