import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type Client, ApiError, type Query } from "../../api/client.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import type {
  ProjectDetail,
  ProjectFilters,
  ProjectList,
  ProjectSort,
  ProjectStatus,
  ProjectSummary,
  StaleProject,
} from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet, useListPage } from "../../api/useGet.ts";
import { type Address, readChoice, pageIn } from "../../ui/search-params.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";
import { movedIds, reordered } from "./order.ts";
import { statusAnnouncements, statuses } from "./status-labels.ts";

const api = "/api/adminprojects";
const listKey = ["projects", "list"] as const;

/** How many of the list are on a page. */
export const perPage = 50;

export const sorts: readonly ProjectSort[] = ["position", "updated", "name"];

/** The list's filter and page from the address. */
export function viewOf({ params }: Address) {
  const status = readChoice<ProjectStatus>(params, "status", statuses);
  const sort = readChoice<ProjectSort>(params, "sort", sorts) ?? "position";
  const q = params.get("q") ?? "";
  const category = params.get("category") ?? "";
  const filtered = q !== "" || category !== "" || status !== null;
  return {
    q,
    category,
    status,
    sort,
    page: pageIn(params),
    filtered,
    /** Whether the list shows the owner's order, so that it can be changed. */
    ordered: sort === "position" && !filtered,
  };
}

export type ProjectsView = ReturnType<typeof viewOf>;

function queryOf({ q, category, status, sort, page }: ProjectsView): Query {
  return { q, category, status, sort, page, perPage };
}

export function useProjectList(view: ProjectsView) {
  return useListPage<ProjectList>(listKey, `${api}/list`, queryOf(view));
}

export function useProjectFilters() {
  return useGet<ProjectFilters>(["projects", "filters"], `${api}/filters`);
}

interface StatusChange {
  project: ProjectSummary;
  status: ProjectStatus;
}

/** Saves a status; another save that didn't change the status isn't a conflict. */
async function saveStatus(
  client: Client,
  { project, status }: StatusChange,
): Promise<ProjectDetail> {
  const { id, version } = project;
  try {
    return await client.post<ProjectDetail>(`${api}/save`, { id, version, status });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "stale_version") throw error;
    const details = error.details as StaleProject;
    const current = details.current ?? (await client.get<ProjectDetail>(`${api}/get`, { id }));
    if (current.status !== project.status) throw error;
    return client.post<ProjectDetail>(`${api}/save`, { id, version: current.version, status });
  }
}

/** Changes of the status, and deletion; the list is refreshed afterwards. */
export function useProjectChanges() {
  const stale = [["projects"], rebuildKey];
  const setStatus = useChange<StatusChange, ProjectDetail>({
    send: saveStatus,
    updateCache(queries, saved) {
      queries.setQueriesData<ProjectList>({ queryKey: listKey }, (list) => {
        if (!list) return list;
        const items = list.items.map((item) =>
          item.id === saved.id ? { ...item, status: saved.status, version: saved.version } : item,
        );
        return { ...list, items };
      });
    },
    announcement: (_, { project, status }) => `${project.name} ${statusAnnouncements[status]}.`,
    stale,
  });
  const remove = useChange<ProjectSummary>({
    send: (client, { id, version }) => client.post(`${api}/delete`, { id, version }),
    announcement: (_, { name }) => `${name} deleted.`,
    stale,
  });
  return { setStatus, remove };
}

export interface Move {
  from: number;
  to: number;
}

/** The project at a position in the whole order, from 0, possibly on another page. */
async function idAt(client: Client, place: number): Promise<number | undefined> {
  const query = { sort: "position", page: place + 1, perPage: 1 };
  return (await client.get<ProjectList>(`${api}/list`, query)).items[0]?.id;
}

/**
 * Moves within the order, shown immediately and undone if the server refuses. A position just
 * outside the page means the neighbor on the next one.
 */
export function useReorder(view: ProjectsView, items: readonly ProjectSummary[]) {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const key = [...listKey, queryOf(view)];
  return useMutation({
    mutationKey: ["projects", "reorder"],
    // One after the other, because each depends on the order left by the previous one.
    scope: { id: "projects-order" },
    mutationFn: async ({ from, to, ids }: Move & { ids: number[] }) => {
      const self = ids[from];
      if (to >= 0 && to < ids.length) {
        return client.post(`${api}/reorder`, { ids: movedIds(ids, from, to) });
      }
      const other = await idAt(client, (view.page - 1) * perPage + to);
      if (self === undefined || other === undefined) return null;
      return client.post(`${api}/reorder`, { ids: to < 0 ? [self, other] : [other, self] });
    },
    onMutate: async ({ from, to, ids }) => {
      await queries.cancelQueries({ queryKey: listKey });
      const before = queries.getQueryData<ProjectList>(key);
      if (before) {
        const order = movedIds(ids, from, to);
        queries.setQueryData<ProjectList>(key, {
          ...before,
          items: reordered(before.items, order),
        });
      }
      return { before };
    },
    onSuccess: (_, { from, to, ids }) => {
      const name = items.find(({ id }) => id === ids[from])?.name ?? "The project";
      const elsewhere = to < 0 || to >= ids.length ? ", on another page of this list" : "";
      announce(`${name} is now at position ${(view.page - 1) * perPage + to + 1}${elsewhere}.`);
    },
    onError: (_error, _move, context) => {
      if (context?.before) queries.setQueryData(key, context.before);
    },
    onSettled: () => {
      if (queries.isMutating({ mutationKey: ["projects", "reorder"] }) > 1) return;
      void queries.invalidateQueries({ queryKey: listKey });
      void queries.invalidateQueries({ queryKey: rebuildKey });
    },
  });
}
