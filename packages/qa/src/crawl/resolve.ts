import type { CrawlResponse, Crawl } from "./crawl.ts";
import { keyOf } from "./crawl-context.ts";
import type { Fetcher } from "./fetcher.ts";
import type { Visited } from "./own-crawl.ts";

/** The same limit as in `followRedirects`. */
const maxHops = 10;
const maxLoops = 20;

type Hop = CrawlResponse["hops"][number];

/** The final result for an address after its redirects. */
export type Final = { response: CrawlResponse; isLoop: boolean };

const unclear = (
  response: CrawlResponse,
  reason: string,
): Pick<CrawlResponse, "verdict" | "reason"> => ({
  verdict: response.status === null ? response.verdict : "unknown",
  reason,
});

function isInspected(
  start: Visited,
  hops: readonly Hop[],
  last: CrawlResponse,
  own: Partial<CrawlResponse> = {},
): CrawlResponse {
  if (hops.length === 0) return { ...last, ...own };
  const before = last.hops.length > 0 ? [...hops, ...last.hops] : hops;
  return { ...last, ...own, url: start.url, hops: before };
}

/**
 * Follows the redirects of an address through responses that are already there, so that nothing is
 * requested twice. `externalOf` returns external responses; undefined if they weren't requested.
 */
export function follow(
  start: Visited,
  response: CrawlResponse,
  visited: ReadonlyMap<string, Visited>,
  externalOf: (key: string) => CrawlResponse | undefined,
  isProgram: (path: string) => boolean,
): Final {
  const hops: Hop[] = [];
  const seen = new Set<string>();
  let at: { url: string; response: CrawlResponse; next: Visited["next"] } = {
    ...start,
    response,
  };
  while (at.next) {
    const { next } = at;
    hops.push({ url: at.url, status: at.response.status ?? 0 });
    seen.add(at.url);
    const failure = (code: string) =>
      ({ phase: "redirect", code, ms: at.response.ms }) satisfies CrawlResponse["failure"];
    if (seen.has(next.key)) {
      const reason = "its redirects form a loop";
      const own = { verdict: "broken", reason, failure: failure("ELOOP") } as const;
      return { response: isInspected(start, hops, at.response, own), isLoop: true };
    }
    if (hops.length > maxHops) {
      const reason = "it has too many redirects";
      const own = { verdict: "broken", reason, failure: failure("EHOPS") } as const;
      return { response: isInspected(start, hops, at.response, own), isLoop: false };
    }
    const target = next.own ? visited.get(next.key) : undefined;
    const externalLink = next.own ? undefined : externalOf(next.key);
    if (externalLink) return { response: isInspected(start, hops, externalLink), isLoop: false };
    if (!target?.response) {
      const program = next.own && isProgram(new URL(next.key).pathname);
      const own = program
        ? ({ verdict: "ok", reason: null } as const)
        : unclear(at.response, "its target wasn't requested");
      const found = isInspected(start, hops, at.response, { ...own, finalUrl: next.key });
      return { response: found, isLoop: false };
    }
    at = { url: target.url, response: target.response, next: target.next };
  }
  return { response: isInspected(start, hops, at.response), isLoop: false };
}

/**
 * The responses of all addresses of the site; loops are requested again with one visitor's cookies.
 */
export async function finalResponses(
  visited: ReadonlyMap<string, Visited>,
  externalOf: (key: string) => CrawlResponse | undefined,
  isProgram: (path: string) => boolean,
  fetcher: Fetcher,
): Promise<Map<string, CrawlResponse>> {
  const responses = new Map<string, CrawlResponse>();
  const circles: string[] = [];
  for (const resource of visited.values()) {
    if (!resource.response) continue;
    const { response, isLoop } = resource.next
      ? follow(resource, resource.response, visited, externalOf, isProgram)
      : { response: resource.response, isLoop: false };
    responses.set(resource.url, unfollowed(resource, response));
    if (isLoop) circles.push(resource.url);
  }
  // A cookie may resolve what looks like a loop.
  for (const url of circles.slice(0, maxLoops)) {
    responses.set(url, (await fetcher.own(url)).answer);
  }
  return responses;
}

/** A redirect to something that isn't an address. */
function unfollowed({ next }: Visited, response: CrawlResponse): CrawlResponse {
  const { status, headers } = response;
  const leads = status !== null && status > 300 && status < 309 && status !== 304;
  if (next || !leads || response.verdict !== "ok") return response;
  const isOther = /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(headers["location"] ?? "");
  return isOther
    ? { ...response, verdict: "unknown", reason: "it redirects to something other than a web page" }
    : { ...response, verdict: "broken", reason: "it redirects to an invalid address" };
}

/** How many links each page is away from the start, and which page first linked to it. */
export function computeDepths(
  start: string,
  pagesByUrl: ReadonlyMap<string, string>,
  references: Crawl["references"],
  responses: ReadonlyMap<string, CrawlResponse>,
): Map<string, { depth: number; from: string | null }> {
  const links = new Map<string, Set<string>>();
  for (const { kind, page, url } of references) {
    if (kind !== "link" && kind !== "frame") continue;
    const key = keyOf(url);
    const known = links.get(page);
    if (known) known.add(key);
    else links.set(page, new Set([key]));
  }
  const found = new Map<string, { depth: number; from: string | null }>();
  const first = pagesByUrl.get(responses.get(start)?.finalUrl ?? start) ?? pagesByUrl.get(start);
  if (first === undefined) return found;
  found.set(first, { depth: 0, from: null });
  // A Map's iteration includes entries that are added meanwhile: breadth first.
  for (const [path, { depth }] of found) {
    for (const key of links.get(path) ?? []) {
      const target = pagesByUrl.get(responses.get(key)?.finalUrl ?? key);
      if (target !== undefined && !found.has(target)) {
        found.set(target, { depth: depth + 1, from: path });
      }
    }
  }
  return found;
}
