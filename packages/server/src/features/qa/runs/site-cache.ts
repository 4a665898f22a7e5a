import { sha256Hex } from "../../../kit/hash.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type {
  EngineResult,
  SiteCache,
  CachedExternal,
  CachedResource,
} from "vitrine-qa/src/engine/job.ts";
import { pathNameOf } from "vitrine-qa/src/crawl/addresses.ts";
import {
  deleteCached,
  type CacheTable,
  markMissed,
  listMissedPages,
  upsertCached,
  saveCachedSite,
  listCached,
  findCachedSite,
} from "./site-cache-store.ts";

/** What the last runs learned about the site and the external addresses it references. */
export async function readSiteCache(db: Db): Promise<SiteCache> {
  const [site, resources, externals] = await Promise.all([
    findCachedSite(db),
    listCached(db, "qa_resource"),
    listCached(db, "qa_external"),
  ]);
  return {
    site: site === null ? null : (JSON.parse(site) as SiteCache["site"]),
    resources: [...resources.values()].map((cached) => JSON.parse(cached) as CachedResource),
    externals: [...externals.values()].map((cached) => JSON.parse(cached) as CachedExternal),
  };
}

const idOf = ({ url }: { url: string }) => sha256Hex(url);
const parse = (cached: string) => JSON.parse(cached) as CachedResource;

/** No response, or one that says nothing about the page. */
const failed = ({ status }: CachedResource) =>
  status === null || (status >= 400 && status !== 404 && status !== 410);

interface Change {
  before: Map<string, string>;
  now: Map<string, string>;
}

/** Writes only what has changed. */
async function writeChanged(trx: Db, table: CacheTable, { before, now }: Change): Promise<void> {
  const changed = [...now].filter(([id, cached]) => before.get(id) !== cached);
  await upsertCached(
    trx,
    table,
    changed.map(([id, cached]) => ({ id, metadata: cached })),
  );
}

const textsOf = (items: readonly { url: string }[]) =>
  new Map(items.map((item) => [idOf(item), JSON.stringify(item)]));

/**
 * Counts pages that a complete run didn't encounter. One run may miss a page because of an error on
 * the way to it; two runs without such errors don't. Returns the pages that have left the site.
 */
async function updateMissed(
  trx: Db,
  lost: CachedResource[],
  hasFailures: boolean,
): Promise<string[]> {
  const earlier = await listMissedPages(trx);
  // A page that failed last time may have been a page before.
  const isPage = (one: CachedResource) => one.kind === "page" || failed(one);
  const newly = lost.filter(isPage).map(idOf);
  const others = lost.filter((one) => !isPage(one)).map(idOf);
  await deleteCached(trx, "qa_resource", others);
  if (hasFailures) {
    await markMissed(trx, newly, 1);
    return [];
  }
  const once = [...earlier].filter(([, { missed }]) => missed === 1).map(([id]) => id);
  await markMissed(trx, [...once, ...newly], 2);
  const twice = [...earlier].filter(([, { missed }]) => missed === 2);
  await deleteCached(
    trx,
    "qa_resource",
    twice.map(([id]) => id),
  );
  return twice.map(([, { metadata }]) => parse(metadata).url);
}

async function writeResources(
  trx: Db,
  resources: readonly CachedResource[],
  { isComplete, isUnchanged }: { isComplete: boolean; isUnchanged: boolean },
): Promise<string[]> {
  const before = await listCached(trx, "qa_resource");
  const now = textsOf(resources);
  await writeChanged(trx, "qa_resource", { before, now });
  // If nothing has changed, missed pages stay missed.
  if (isUnchanged) return isComplete ? updateMissed(trx, [], false) : [];
  const noPages = resources.filter((one) => one.kind !== "page" && !failed(one));
  const ended = noPages.map(({ url }) => url);
  if (!isComplete) return ended;
  const down = new Set(resources.filter(failed).map(({ url }) => url));
  const cached = [...before].map(([id, text]) => Object.assign(parse(text), { id }));
  const hasFailures = cached.some(
    (one) => one.kind === "page" && !failed(one) && down.has(one.url),
  );
  const lost = cached.filter(({ id }) => !now.has(id));
  return [...(await updateMissed(trx, lost, hasFailures)), ...ended];
}

/**
 * Stores what a QA run has learned. Pages that a complete run didn't encounter are eventually
 * forgotten; a run over an unchanged site writes almost nothing. Returns what is no longer a page
 * of the site, in the names that `Site` uses: gone, redirected, of another type, or missed by two
 * runs.
 */
export async function writeSiteCache(
  trx: Db,
  result: Pick<EngineResult, "cache" | "isComplete" | "isUnchanged">,
): Promise<{ removedPages: string[] }> {
  const { cache: cached, isComplete, isUnchanged } = result;
  const site = cached.site === null ? null : JSON.stringify(cached.site);
  if (site !== (await findCachedSite(trx))) await saveCachedSite(trx, site);
  const before = await listCached(trx, "qa_external");
  const now = textsOf(cached.externals);
  await writeChanged(trx, "qa_external", { before, now });
  if (isComplete && !isUnchanged) {
    const lost = [...before.keys()].filter((id) => !now.has(id));
    await deleteCached(trx, "qa_external", lost);
  }
  const left = await writeResources(trx, cached.resources, { isComplete, isUnchanged });
  return {
    removedPages: left.flatMap((url) => (URL.canParse(url) ? pathNameOf(new URL(url)) : [])),
  };
}
