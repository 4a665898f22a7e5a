import { hash } from "node:crypto";
import type { CachedResource } from "../engine/job.ts";
import { openCrawl, type OwnResource } from "../site/crawled-site.ts";
import { isProgramPath } from "../site/program.ts";
import { decodedPath, isSameSite, makeResolver, pathNameOf } from "./addresses.ts";
import { type Baseline, folderOf, readBaselines } from "./baseline.ts";
import type { CrawlResponse, Crawl, CrawledPage, Reference } from "./crawl.ts";
import {
  byUrl,
  type CrawlResult,
  type CrawlOptions,
  keyOf,
  makeExternalLinksFor,
  timeShares,
  timeShare,
} from "./crawl-context.ts";
import type { Fetcher } from "./fetcher.ts";
import { isComparable, toCachedResource, siteKey } from "./site-cache.ts";
import { makeOwnCrawl, type OwnCrawl, type Visited } from "./own-crawl.ts";
import { computeDepths, finalResponses } from "./resolve.ts";
import type { ExternalLinks } from "./external-links.ts";
import { isUnchanged, unchangedCrawl } from "./unchanged.ts";

export type { CrawlResult, CrawlOptions } from "./crawl-context.ts";

/** The real start address: many sites redirect from HTTP, or to a name with `www.`. */
async function startCrawl(start: string, fetcher: Fetcher): Promise<URL> {
  let url = new URL(keyOf(start));
  for (let hops = 0; hops < 5; hops++) {
    const { answer: response } = await fetcher.own(url.href, { follow: false });
    const to = URL.parse(response.headers["location"] ?? "", url.href);
    const leads = response.status !== null && response.status > 300 && response.status < 400;
    if (!leads || !to || to.origin === url.origin || !isSameSite(url, to)) return url;
    url = new URL(keyOf(to.href));
  }
  return url;
}

/**
 * Crawls a site breadth first from its start and the seeds, requests everything that its pages
 * name, and checks external links meanwhile. If the site is the same as at the last run, it only
 * finds that out.
 */
export async function crawlSite(options: CrawlOptions): Promise<CrawlResult> {
  const { cache, engine, seeds, full, fetcher, limits } = options;
  if (!full && isComparable(cache, engine, seeds)) {
    const onProgress = (done: number, total: number, at: string) =>
      options.onProgress("crawling", done, total, at);
    const signal = timeShare(options, timeShares.site);
    if (await isUnchanged(cache.resources, fetcher, limits.connections, signal, onProgress)) {
      return unchangedCrawl(options);
    }
  }
  return wholeCrawl(options);
}

async function wholeCrawl(options: CrawlOptions): Promise<CrawlResult> {
  const { fetcher, limits, seeds } = options;
  const start = await startCrawl(options.start, fetcher);
  const { origin } = start;
  const isProgram = (path: string) => isProgramPath(path, options.program !== false);
  const externalLinks = makeExternalLinksFor(options);
  const resolver = makeResolver(origin);
  const own = makeOwnCrawl({
    fetcher,
    resolver,
    limits,
    isProgram,
    onExternal: externalLinks.enqueue,
    onProgress: (done, total, at) => options.onProgress("crawling", done, total, at),
  });
  const siteTime = timeShare(options, timeShares.site);
  const stop = () => own.stop();
  if (siteTime.aborted) stop();
  siteTime.addEventListener("abort", stop, { once: true });
  own.seed(start.href);
  for (const seed of seeds) {
    const found = resolver.resolve(seed, start.href);
    if (found?.own) own.seed(found.key);
  }
  await own.idle();
  // Browsers request it themselves if a page names no icon.
  if (!own.references.some(({ kind }) => kind === "icon")) {
    own.request(new URL("/favicon.ico", start).href);
    await own.idle();
  }
  siteTime.removeEventListener("abort", stop);
  const pathnames = [...own.visited.values()]
    .filter(isRead)
    .map(({ parsed }) => decodedPath(parsed));
  const baselines = siteTime.aborted
    ? new Map<string, Baseline>()
    : await readBaselines(fetcher, origin, pathnames);
  await externalLinks.waitForAll(timeShare(options, timeShares.all));
  const responses = await finalResponses(own.visited, externalLinks.responseOf, isProgram, fetcher);
  return summedUp(options, start, own, externalLinks, responses, baselines, isProgram);
}

const isRead = ({ facts, refresh }: Visited): boolean => facts !== null && refresh === null;

/** The fragment that redirects set: the last one wins, whatever the link had. */
function fragmentGiven(start: Visited, visited: OwnCrawl["visited"]): string {
  let given = "";
  const seen = new Set<Visited>();
  for (
    let at: Visited | undefined = start;
    at?.next && !seen.has(at);
    at = visited.get(at.next.key)
  ) {
    const { url, key } = at.next;
    if (url.length > key.length) given = url.slice(key.length);
    seen.add(at);
  }
  return given;
}

/** What checks see of each address. */
function resourcesOf(
  own: OwnCrawl,
  origin: string,
  responses: ReadonlyMap<string, CrawlResponse>,
): Map<string, OwnResource> {
  const shown = (url: string) => {
    const parsed = URL.parse(url);
    return parsed?.origin === origin ? pathNameOf(parsed) : url;
  };
  const resources = new Map<string, OwnResource>();
  for (const visit of own.visited.values()) {
    const { url, path, asPage, facts, refresh } = visit;
    const response = responses.get(url);
    if (!response) continue;
    const to = response.hops.length > 0 ? response.finalUrl : refresh;
    const given = response.hops.length > 0 ? fragmentGiven(visit, own.visited) : "";
    const leadsTo = to === null ? null : shown(keyOf(to)) + given;
    const known = resources.get(path);
    // Of two spellings of a path, the one that works counts.
    if (known && (known.response.verdict === "ok" || response.verdict !== "ok")) continue;
    resources.set(path, { url, path, response, facts, leadsTo, isAsset: !asPage });
  }
  return resources;
}

function pagesOf(
  start: string,
  own: OwnCrawl,
  resources: ReadonlyMap<string, OwnResource>,
  responses: ReadonlyMap<string, CrawlResponse>,
): Map<string, CrawledPage> {
  const read = [...resources.values()].filter(({ facts, leadsTo }) => facts && leadsTo === null);
  const byAddress = new Map(read.map(({ url, path }) => [url, path]));
  const depths = computeDepths(start, byAddress, own.references, responses);
  return new Map(
    read.flatMap(({ path, url, response, facts }) => {
      if (!facts) return [];
      const { depth, from } = depths.get(path) ?? { depth: null, from: null };
      return [[path, { path, url, response, facts, depth, from }] as const];
    }),
  );
}

function nextCache(options: CrawlOptions, own: OwnCrawl): CachedResource[] {
  const before = new Map(options.cache.resources.map((known) => [known.url, known]));
  return [...own.visited.values()].flatMap(({ url, response, facts }) =>
    response ? [toCachedResource(url, facts ? "page" : "asset", response, before.get(url))] : [],
  );
}

function summedUp(
  options: CrawlOptions,
  start: URL,
  own: OwnCrawl,
  externalLinks: ExternalLinks,
  finals: ReadonlyMap<string, CrawlResponse>,
  baselines: ReadonlyMap<string, Baseline>,
  isProgram: (path: string) => boolean,
): CrawlResult {
  const { origin } = start;
  const resources = resourcesOf(own, origin, finals);
  const known = nextCache(options, own);
  const outside = externalLinks.result((url) => referencesThrough(url, own));
  const complete = !own.isCut() && !options.signal.aborted;
  const key = siteKey(known, options.seeds);
  const byPath = new Map([...resources.values()].map((resource) => [resource.url, resource.path]));
  const pages = pagesOf(start.href, own, resources, finals);
  const site = openCrawl({
    origin,
    sha: hash("sha256", key),
    resources,
    body: own.bodies.get,
    pages: own.pages,
    sheets: own.sheets,
    isProgram,
    listed: options.seeds,
  });
  const crawl: Crawl = {
    start: start.href,
    origin,
    site,
    pages,
    responses: new Map([...finals, ...outside.responses]),
    references: own.references,
    referencesTo: (url) => own.byKey.get(keyOf(url)) ?? [],
    isOwn: (url) => URL.parse(url)?.origin === origin,
    page: site.page,
    text(url) {
      const path = byPath.get(keyOf(url));
      return path === undefined ? undefined : site.text(path);
    },
    baselineOf: (folder) => baselines.get(folder) ?? baselines.get(folderOf(folder)),
    externals: byUrl(outside.cached),
    complete,
  };
  return {
    crawl,
    unchanged: false,
    cache: {
      site: complete ? { engine: options.engine, key } : null,
      resources: known,
      externals: outside.cached,
    },
    uncheckedExternals: outside.unasked,
    unreached: outside.unreached,
    visited: [...pages.keys()],
    close: own.bodies.close,
  };
}

/** The places that link to an external address, directly or through a redirect of the site. */
function referencesThrough(url: string, own: OwnCrawl): readonly Reference[] {
  const direct = own.byKey.get(url);
  if (direct) return direct;
  const leading = [...own.visited.values()].filter(({ next }) => next?.key === url);
  return leading.flatMap(({ url: from }) => own.byKey.get(from) ?? []);
}
