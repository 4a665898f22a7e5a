import { keepPreviousData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import type {
  ListedSite,
  MeasuredSite,
  SiteDetail,
  SiteJob,
  SiteList,
} from "../../../../server/src/features/sites/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { type Address, pageIn, readChoice } from "../../ui/search-params.ts";
import { doneLabel, type SiteChange } from "./labels.ts";

export type { ListedSite, MeasuredSite, SiteDetail, SiteJob, SiteList };

const api = "/api/adminsites";
const key = ["sites"] as const;
const listKey = [...key, "list"] as const;
const siteKey = [...key, "site"] as const;
const usageKey = [...key, "usage"] as const;
const jobsKey = [...key, "jobs"] as const;

/** How many sites are on a page; the server measures at most 25 at once. */
export const perPage = 20;
/** The polling interval for jobs, and for sites whose state changes without this page, in ms. */
const soonMs = 1000;
const laterMs = 10_000;

/** What the address selects: one site, or a part of the list. */
export function viewOf({ params }: Address) {
  const q = params.get("q") ?? "";
  const status = readChoice(params, "status", ["active", "suspended", "creating"] as const);
  return {
    site: params.get("site"),
    isNew: params.has("new"),
    q,
    status,
    page: pageIn(params),
    filtered: q !== "" || status !== null,
  };
}
export type SitesView = ReturnType<typeof viewOf>;

export function useSiteList({ q, status, page }: SitesView) {
  const query = { q, status, page, perPage };
  return useGet<SiteList>([...listKey, query], `${api}/list`, query, {
    placeholderData: keepPreviousData,
    refetchInterval: laterMs,
  });
}

export function useSite(name: string) {
  return useGet<SiteDetail>(
    [...siteKey, name],
    `${api}/get`,
    { name },
    { refetchInterval: laterMs },
  );
}

/** What these sites use; measuring takes longer than listing them. */
export function useUsage(names: readonly string[]) {
  return useGet<{ items: MeasuredSite[] }>(
    [...usageKey, names],
    `${api}/usage`,
    { names: names.join(",") },
    { enabled: names.length > 0, staleTime: 60_000 },
  );
}

/** The sites that are being created or removed, and those that were; refreshes the lists at their end. */
export function useSiteJobs() {
  const queries = useQueryClient();
  const query = useGet<{ items: SiteJob[] }>(jobsKey, `${api}/jobs`, undefined, {
    refetchInterval: ({ state }) =>
      state.data?.items.some((job) => job.state === "running") ? soonMs : laterMs,
  });
  const states = query.data?.items.map(({ name, state }) => `${name} ${state}`).join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current !== undefined && before.current !== states) {
      void queries.invalidateQueries({ queryKey: listKey });
      void queries.invalidateQueries({ queryKey: siteKey });
    }
    before.current = states;
  }, [queries, states]);
  return query;
}

export interface NewSiteBody {
  name: string;
  owner: string;
  domain?: string;
  timeZone?: string;
  diskMiB: number | null;
}

/** Creates a site, as a job. */
export function useCreateSite() {
  return useChange<NewSiteBody, SiteJob>({
    send: (client, body) => client.post(`${api}/create`, body),
    announcement: (_, { name }) => `Creating “${name}”.`,
    awaited: [jobsKey],
    stale: [listKey, siteKey],
    gcTime: 0,
  });
}

export interface RemovalBody {
  name: string;
  confirmName: string;
  password?: string;
}

/** Removes a site, as a job. */
export function useRemoveSite() {
  return useChange<RemovalBody, SiteJob>({
    send: (client, body) => client.post(`${api}/remove`, body),
    announcement: (_, { name }) => `Removing “${name}”.`,
    awaited: [jobsKey],
    stale: [listKey, siteKey],
    gcTime: 0,
  });
}

export function useDismissJob() {
  return useChange<SiteJob>({
    send: (client, { name }) => client.post(`${api}/dismiss`, { name }),
    awaited: [jobsKey],
  });
}

/** Changes a site. */
export function useChangeSite() {
  return useChange<SiteChange>({
    send: (client, { path, body }) => client.post(`${api}/${path}`, body),
    announcement: (_, change) => doneLabel(change),
    awaited: [siteKey, usageKey],
    stale: [listKey],
  });
}
