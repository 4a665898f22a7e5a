import { useQueryClient } from "@tanstack/react-query";

import { useWholeList, type WholeList } from "../../api/fetch-all-pages.ts";
import { useChange } from "../../api/useChange.ts";
import type { Source, SourceForm } from "./form.ts";

const api = "/api/adminsources";
const listKey = ["sources", "list"] as const;

/** All sources in their order. */
export function useSources() {
  return useWholeList<Source>(listKey, `${api}/list`, ({ id }) => id);
}

export function useSourceChanges() {
  const queries = useQueryClient();
  const awaited = [listKey];
  const save = useChange<Partial<SourceForm> & { id?: number }, Source>({
    send: (client, body) =>
      client.post(`${api}/${body.id === undefined ? "create" : "save"}`, body),
    announcement: ({ title, enabled }) =>
      enabled ? `“${title}” saved.` : `“${title}” saved and turned off.`,
    awaited,
  });
  const remove = useChange<Source>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { title }) => `“${title}” deleted.`,
    awaited,
  });
  const reorder = useChange<{ ids: number[]; said: string }, WholeList<Source>>({
    send: (client, { ids }) => client.post(`${api}/reorder`, { ids }),
    updateCache: (_, list) => queries.setQueryData(listKey, list),
    announcement: (_, { said }) => said,
    onError: () => queries.invalidateQueries({ queryKey: listKey }),
  });
  const addStarters = useChange<void, { added: number }>({
    send: (client) => client.post(`${api}/starters`, {}),
    announcement: ({ added }) => `Starter sources added: ${added}.`,
    awaited,
  });
  return { save, remove, reorder, addStarters };
}
