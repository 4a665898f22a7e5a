import { sha256Hex } from "../../../kit/hash.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type {
  EngineResult,
  Known,
  KnownExternal,
  KnownResource,
} from "vitrine-qa/src/engine/job.ts";
import { pathNameOf } from "vitrine-qa/src/crawl/addresses.ts";
import {
  dropKnown,
  type KnownTable,
  markMissed,
  missedPages,
  putKnown,
  putSite,
  storedKnown,
  storedSite,
} from "./known-store.ts";

/** What the last passes knew of the site and of the addresses of others that it names. */
export async function readKnown(db: Db): Promise<Known> {
  const [site, resources, externals] = await Promise.all([
    storedSite(db),
    storedKnown(db, "qa_resource"),
    storedKnown(db, "qa_external"),
  ]);
  return {
    site: site === null ? null : (JSON.parse(site) as Known["site"]),
    resources: [...resources.values()].map((known) => JSON.parse(known) as KnownResource),
    externals: [...externals.values()].map((known) => JSON.parse(known) as KnownExternal),
  };
}

const idOf = ({ url }: { url: string }) => sha256Hex(url);
const parse = (known: string) => JSON.parse(known) as KnownResource;

/** No answer, or one that says nothing of what is there. */
const failed = ({ status }: KnownResource) =>
  status === null || (status >= 400 && status !== 404 && status !== 410);

interface Change {
  before: Map<string, string>;
  now: Map<string, string>;
}

/** Writes what has changed, and nothing else. */
async function writeChanged(trx: Db, table: KnownTable, { before, now }: Change): Promise<void> {
  const changed = [...now].filter(([id, known]) => before.get(id) !== known);
  await putKnown(
    trx,
    table,
    changed.map(([id, known]) => ({ id, known })),
  );
}

const textsOf = (items: readonly { url: string }[]) =>
  new Map(items.map((item) => [idOf(item), JSON.stringify(item)]));

/**
 * Pages that a whole pass has not met at all. One pass may miss a page because of what failed on the
 * way to it; two that had no such trouble don't. Gives those that have left the site.
 */
async function settleMissed(trx: Db, lost: KnownResource[], trouble: boolean): Promise<string[]> {
  const earlier = await missedPages(trx);
  // What has failed last may have been a page before.
  const isPage = (one: KnownResource) => one.kind === "page" || failed(one);
  const newly = lost.filter(isPage).map(idOf);
  const others = lost.filter((one) => !isPage(one)).map(idOf);
  await dropKnown(trx, "qa_resource", others);
  if (trouble) {
    await markMissed(trx, newly, 1);
    return [];
  }
  const once = [...earlier].filter(([, { missed }]) => missed === 1).map(([id]) => id);
  await markMissed(trx, [...once, ...newly], 2);
  const twice = [...earlier].filter(([, { missed }]) => missed === 2);
  await dropKnown(
    trx,
    "qa_resource",
    twice.map(([id]) => id),
  );
  return twice.map(([, { known }]) => parse(known).url);
}

async function writeResources(
  trx: Db,
  resources: readonly KnownResource[],
  { complete, unchanged }: { complete: boolean; unchanged: boolean },
): Promise<string[]> {
  const before = await storedKnown(trx, "qa_resource");
  const now = textsOf(resources);
  await writeChanged(trx, "qa_resource", { before, now });
  // Where nothing has changed, nothing leads to what was missed before.
  if (unchanged) return complete ? settleMissed(trx, [], false) : [];
  const noPages = resources.filter((one) => one.kind !== "page" && !failed(one));
  const ended = noPages.map(({ url }) => url);
  if (!complete) return ended;
  const down = new Set(resources.filter(failed).map(({ url }) => url));
  const known = [...before].map(([id, text]) => Object.assign(parse(text), { id }));
  const trouble = known.some((one) => one.kind === "page" && !failed(one) && down.has(one.url));
  const lost = known.filter(({ id }) => !now.has(id));
  return [...(await settleMissed(trx, lost, trouble)), ...ended];
}

/**
 * Keeps what a pass has learnt. What a whole pass has not met is forgotten; one over an unchanged
 * site writes next to nothing. Gives what is no page of the site any more, as `Site` names pages: it
 * is not there, leads elsewhere, is something else, or two passes have not met it.
 */
export async function writeKnown(
  trx: Db,
  result: Pick<EngineResult, "known" | "complete" | "unchanged">,
): Promise<{ gone: string[] }> {
  const { known, complete, unchanged } = result;
  const site = known.site === null ? null : JSON.stringify(known.site);
  if (site !== (await storedSite(trx))) await putSite(trx, site);
  const before = await storedKnown(trx, "qa_external");
  const now = textsOf(known.externals);
  await writeChanged(trx, "qa_external", { before, now });
  if (complete && !unchanged) {
    const lost = [...before.keys()].filter((id) => !now.has(id));
    await dropKnown(trx, "qa_external", lost);
  }
  const left = await writeResources(trx, known.resources, { complete, unchanged });
  return { gone: left.flatMap((url) => (URL.canParse(url) ? pathNameOf(new URL(url)) : [])) };
}
