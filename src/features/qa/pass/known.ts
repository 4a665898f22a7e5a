import { sha256Hex } from "../../../kit/hash.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult, Known, KnownExternal, KnownResource } from "../engine/job.ts";
import {
  dropKnown,
  type KnownTable,
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

/** A page's name as `Site` has it: the decoded path, with the query where there is one. */
function pageName(address: string): string | null {
  const url = URL.parse(address);
  if (!url) return null;
  try {
    return decodeURIComponent(url.pathname) + url.search;
  } catch {
    return url.pathname + url.search;
  }
}

const isOver = ({ status }: KnownResource) => status === 404 || status === 410;

/** The pages that the site had and has no more. */
function gonePages(before: readonly KnownResource[], now: readonly KnownResource[]): string[] {
  const there = new Set(now.filter((resource) => !isOver(resource)).map(({ url }) => url));
  const left = before.filter(({ kind, url }) => kind === "page" && !there.has(url));
  const names = left.map(({ url }) => pageName(url));
  return names.filter((name) => name !== null);
}

interface Change {
  before: Map<string, string>;
  /** Whether what was not met is no more. */
  whole: boolean;
}

/** Writes what has changed, and nothing else. */
async function writeTable(
  trx: Db,
  table: KnownTable,
  items: readonly { url: string }[],
  { before, whole }: Change,
): Promise<void> {
  const now = new Map(items.map((item) => [sha256Hex(item.url), JSON.stringify(item)]));
  const changed = [...now].filter(([id, known]) => before.get(id) !== known);
  await putKnown(
    trx,
    table,
    changed.map(([id, known]) => ({ id, known })),
  );
  const lost = [...before.keys()].filter((id) => !now.has(id));
  if (whole) await dropKnown(trx, table, lost);
}

/**
 * Keeps what a pass has learnt. What a whole pass has not met is forgotten; one over an unchanged
 * site writes next to nothing. Gives the pages that the site has no more.
 */
export async function writeKnown(
  trx: Db,
  { known, complete, unchanged }: Pick<EngineResult, "known" | "complete" | "unchanged">,
): Promise<{ gone: string[] }> {
  const whole = complete && !unchanged;
  const site = known.site === null ? null : JSON.stringify(known.site);
  if (site !== (await storedSite(trx))) await putSite(trx, site);
  const resources = await storedKnown(trx, "qa_resource");
  const externals = await storedKnown(trx, "qa_external");
  await writeTable(trx, "qa_resource", known.resources, { before: resources, whole });
  await writeTable(trx, "qa_external", known.externals, { before: externals, whole });
  if (!whole) return { gone: [] };
  const before = [...resources.values()].map((text) => JSON.parse(text) as KnownResource);
  return { gone: gonePages(before, known.resources) };
}
