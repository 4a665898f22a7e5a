import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useAnnounce, useClient } from "../../api/context.tsx";
import type { Entry, Page } from "../../api/types.ts";
import { type Address, oneIn, pageIn } from "../../ui/search-params.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";

const api = "/api/adminchangelog";
const listKey = ["changelog", "list"] as const;

/** How many entries are on a page. */
export const perPage = 30;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const source = oneIn<Entry["source"]>(params, "source", ["seed", "app"]);
  const q = params.get("q") ?? "";
  const kind = params.get("kind") ?? "";
  const filtered = q !== "" || kind !== "" || source !== null;
  return { q, kind, source, page: pageIn(params), filtered };
}

export type ChangelogView = ReturnType<typeof viewOf>;

export function useEntries({ q, kind, source, page }: ChangelogView) {
  const client = useClient();
  const query = { q, kind, source, page, perPage };
  return useQuery({
    queryKey: [...listKey, query],
    queryFn: ({ signal }) => client.get<Page<Entry>>(`${api}/list`, query, signal),
    placeholderData: keepPreviousData,
  });
}

export function useEntryChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = (): void => {
    void queries.invalidateQueries({ queryKey: listKey });
    void queries.invalidateQueries({ queryKey: rebuildKey });
  };
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      client.post<Entry>(`${api}/${body.id === undefined ? "create" : "save"}`, body),
    onSuccess: (entry) => announce(`“${entry.title}” is saved.`),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Entry) => client.post(`${api}/delete`, { id }),
    onSuccess: (_, entry) => announce(`“${entry.title}” is deleted.`),
    onSettled,
  });
  return { save, remove };
}
