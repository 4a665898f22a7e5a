import { type QueryKey, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { uniqueBy } from "../ui/unique-by.ts";
import type { Client } from "./client.ts";
import { useClient } from "./context.tsx";

export interface WholeList<T> {
  items: T[];
  total: number;
}

/** Fetches all pages of a list, with each item once by its key. */
export async function fetchAllPages<T>(
  client: Pick<Client, "get">,
  path: string,
  { keyOf, signal }: { keyOf(item: T): unknown; signal?: AbortSignal },
): Promise<WholeList<T>> {
  const got: T[] = [];
  for (let page = 1; ; page += 1) {
    const found = await client.get<WholeList<T>>(path, { page, perPage: 100 }, signal);
    got.push(...found.items);
    if (found.items.length === 0 || got.length >= found.total) {
      const items = uniqueBy(got, keyOf);
      return { items, total: items.length };
    }
  }
}

/** A whole list with each item once by the result of `keyOf`. */
export function useWholeList<T>(
  queryKey: QueryKey,
  path: string,
  keyOf: (item: T) => unknown,
): UseQueryResult<WholeList<T>> {
  const client = useClient();
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchAllPages<T>(client, path, { keyOf, signal }),
  });
}
