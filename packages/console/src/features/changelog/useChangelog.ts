import type { Entry, Page } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useListPage } from "../../api/useGet.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";

const api = "/api/adminchangelog";
const listKey = ["changelog", "list"] as const;

/** How many entries are on a page. */
export const perPage = 30;

/** The list's filter and page from the address. */
export function viewOf({ params }: Address) {
  const source = readChoice<Entry["source"]>(params, "source", ["seed", "app"]);
  const q = params.get("q") ?? "";
  const kind = params.get("kind") ?? "";
  const filtered = q !== "" || kind !== "" || source !== null;
  return { q, kind, source, page: pageIn(params), filtered };
}

export type ChangelogView = ReturnType<typeof viewOf>;

export function useEntries({ q, kind, source, page }: ChangelogView) {
  return useListPage<Page<Entry>>(listKey, `${api}/list`, { q, kind, source, page, perPage });
}

export function useEntryChanges() {
  const stale = [listKey, rebuildKey];
  const save = useChange<Record<string, unknown>, Entry>({
    send: (client, body) =>
      client.post(`${api}/${body.id === undefined ? "create" : "save"}`, body),
    announcement: ({ title }) => `“${title}” saved.`,
    stale,
  });
  const hide = useChange<Pick<Entry, "id" | "hidden">, Entry>({
    send: (client, body) => client.post(`${api}/save`, body),
    announcement: ({ title, hidden }) =>
      `“${title}” is now ${hidden ? "hidden from" : "visible to"} visitors.`,
    stale,
  });
  const remove = useChange<Entry>({
    send: (client, { id }) => client.post(`${api}/delete`, { id }),
    announcement: (_, { title }) => `“${title}” deleted.`,
    stale,
  });
  return { save, hide, remove };
}
