import type { UsageReader } from "./usage.ts";
import type { SiteJobs } from "./jobs.ts";
import type { NewSiteBody, SiteDetail, SiteJob, SiteList } from "./schema.ts";
import type { SiteStatus } from "./store.ts";

/** What the page of sites can do. Web has no access to the registry or to other sites. */
export interface SiteManagement {
  list(query: {
    q: string;
    status?: SiteStatus | undefined;
    page: number;
    perPage: number;
  }): Promise<SiteList>;
  /** Throws `not_found`. */
  get(name: string): Promise<SiteDetail>;
  usage: Pick<UsageReader, "read">;
  jobs: Pick<SiteJobs, "list" | "dismiss">;
  /** Throws what `site create` refuses, such as a domain that another site has. */
  create(site: NewSiteBody): Promise<SiteJob>;
  remove(name: string): Promise<SiteJob>;
  suspend(name: string): Promise<void>;
  resume(name: string): Promise<void>;
  addDomain(name: string, domain: string): Promise<void>;
  setMainDomain(name: string, domain: string): Promise<void>;
  removeDomain(name: string, domain: string): Promise<void>;
  /** Null: no limit. */
  setDiskLimit(name: string, diskMiB: number | null): Promise<void>;
}
