import {
  keepPreviousData,
  type QueryKey,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from "@tanstack/react-query";

import type { Query } from "./client.ts";
import { useClient } from "./context.tsx";

/** Fetches `path` with a query; empty values are left out. */
export function useGet<T>(
  queryKey: QueryKey,
  path: string,
  query: Query = {},
  options: Omit<UseQueryOptions<T>, "queryKey" | "queryFn"> = {},
): UseQueryResult<T> {
  const client = useClient();
  return useQuery<T>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => client.get<T>(path, query, signal),
  });
}

/** A page of a list with the key `listKey`; the previous page stays until this one is loaded. */
export function useListPage<T>(listKey: QueryKey, path: string, query: Query): UseQueryResult<T> {
  return useGet<T>([...listKey, query], path, query, { placeholderData: keepPreviousData });
}
