import { hash as hashOf } from "node:crypto";
import type { SiteCache, CachedResource } from "../engine/job.ts";
import type { CrawlResponse } from "./crawl.ts";

const sha256 = (text: string): string => hashOf("sha256", text);

const isRedirect = (status: number | null): boolean =>
  status !== null && status >= 301 && status <= 308 && status !== 304;

/** Identifies the content of one address: its hash or redirect target; all errors are the same. */
export function contentOf({ status, hash, headers }: CrawlResponse): string | null {
  if (isRedirect(status)) {
    return sha256(`to ${headers["location"] ?? ""}`);
  }
  return status !== null && status < 300 ? hash : null;
}

/**
 * What the next run has to know about an address; `answer` is the response of the address alone,
 * without redirects.
 */
export function toCachedResource(
  url: string,
  kind: CachedResource["kind"],
  response: CrawlResponse,
  before: CachedResource | undefined,
): CachedResource {
  const usable = response.status === 200;
  return {
    url,
    kind,
    etag: usable ? (response.headers["etag"] ?? null) : null,
    lastModified: usable ? (response.headers["last-modified"] ?? null) : null,
    hash: contentOf(response),
    status: response.status,
    browserKey: before?.browserKey ?? null,
    browserVisited: before?.browserVisited ?? false,
    rendered: before?.rendered ?? null,
  };
}

/** Covers all addresses of a site with their content, and the seeds. */
export function siteKey(resources: readonly CachedResource[], seeds: readonly string[]): string {
  const lines = resources.map((one) => `${one.url} ${one.status ?? ""} ${one.hash ?? ""}\n`);
  const started = seeds.map((seed) => `seed ${seed}\n`);
  return sha256([...lines.toSorted(), ...started.toSorted()].join(""));
}

/** Whether an address still has the content that the last run found. */
export function isSame(known: CachedResource, response: CrawlResponse): boolean {
  if (response.notModified) return true;
  return response.status === known.status && contentOf(response) === known.hash;
}

/** Whether this run can be compared with the last one. */
export function isComparable(known: SiteCache, engine: string, seeds: readonly string[]): boolean {
  const { site, resources } = known;
  return (
    site !== null &&
    site.engine === engine &&
    resources.some(({ kind, status }) => kind === "page" && status === 200) &&
    site.key === siteKey(resources, seeds)
  );
}
