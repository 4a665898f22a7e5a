import { sha256Hex } from "../../kit/hash.ts";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import { categoriesOf, countsOf, groupsOf } from "./findings/list-store.ts";
import { newestFinished, runningPass, trend } from "./pass/store.ts";
import { groupOf, passOf } from "./record.ts";
import type { Counts, Overview } from "./schema.ts";

export interface OverviewDeps {
  db: Db;
  /** How many runners live. */
  runners(): Promise<number>;
  heartbeat: {
    /** 0 is off. */
    minutes: number;
    autofix: boolean;
    /** When the next pulse is due, ISO 8601. */
    nextAt(): Promise<string | null>;
  };
}

async function trendOf(db: Db): Promise<Overview["trend"]> {
  const rows = await trend(db);
  return rows.map(({ id, started_at, finished_at, counts }) => ({
    id,
    at: finished_at ?? started_at,
    counts: parseJson(counts) as Counts,
  }));
}

/** How the site stands, with a strong entity tag that is another one when anything of it changes. */
export async function makeOverview({
  db,
  runners,
  heartbeat,
}: OverviewDeps): Promise<{ etag: string; overview: Overview }> {
  const [running, last, counts, groups, categories, passes, alive, due] = await Promise.all([
    runningPass(db),
    newestFinished(db),
    countsOf(db),
    groupsOf(db, { status: ["open"] }),
    categoriesOf(db),
    trendOf(db),
    runners(),
    heartbeat.nextAt(),
  ]);
  const overview: Overview = {
    running: running && passOf(running),
    last: last && passOf(last),
    open: counts.open,
    queued: counts.queued,
    ignored: counts.ignored,
    fixed: last?.fixed ?? 0,
    groups: groups.map(groupOf),
    categories,
    trend: passes,
    nextAt: heartbeat.minutes > 0 && alive > 0 ? due : null,
    heartbeatMinutes: heartbeat.minutes,
    autofix: heartbeat.autofix,
  };
  return { etag: `"${sha256Hex(JSON.stringify(overview)).slice(0, 32)}"`, overview };
}
