import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useAnnounce, useClient } from "../../api/context.tsx";
import { fetchAllPages } from "../../api/fetch-all-pages.ts";
import type { Source, SourceForm } from "./form.ts";

const api = "/api/adminsources";
const listKey = ["sources", "list"] as const;

interface SourceList {
  items: Source[];
  total: number;
}

/** All sources in their order. */
export function useSources() {
  const client = useClient();
  return useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) =>
      fetchAllPages<Source>(client, `${api}/list`, { keyOf: ({ id }) => id, signal }),
  });
}

export function useSourceChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => queries.invalidateQueries({ queryKey: listKey });
  const save = useMutation({
    mutationFn: (body: Partial<SourceForm> & { id?: number }) =>
      client.post<Source>(`${api}/${body.id === undefined ? "create" : "save"}`, body),
    onSuccess: ({ title, enabled }) =>
      announce(enabled ? `“${title}” is saved.` : `“${title}” is saved and off.`),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Source) => client.post(`${api}/delete`, { id }),
    onSuccess: (_, { title }) => announce(`“${title}” is deleted.`),
    onSettled,
  });
  const reorder = useMutation({
    mutationFn: ({ ids }: { ids: number[]; said: string }) =>
      client.post<SourceList>(`${api}/reorder`, { ids }),
    onSuccess: (list, { said }) => {
      queries.setQueryData(listKey, list);
      announce(said);
    },
    onError: onSettled,
  });
  return { save, remove, reorder };
}
