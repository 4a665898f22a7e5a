import { sha256Hex } from "../../kit/hash.ts";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listOpenCategories, countFindings, listFindingGroups } from "./findings/list-store.ts";
import { findLatestFinishedRun, findRunningRun, listFinishedRuns } from "./runs/store.ts";
import { serializeGroup, serializeRun } from "./serialize.ts";
import type { Counts, Overview } from "./schema.ts";

export interface OverviewDependencies {
  db: Db;
  /** The number of live runners. */
  runners(): Promise<number>;
  schedule: {
    /** 0 is off. */
    minutes: number;
    autofix: boolean;
    /** When the next scheduled run is due, ISO 8601. */
    nextAt(): Promise<string | null>;
  };
}

async function trendOf(db: Db): Promise<Overview["trend"]> {
  const rows = await listFinishedRuns(db);
  return rows.map(({ id, started_at, finished_at, counts }) => ({
    id,
    at: finished_at ?? started_at,
    counts: parseJson(counts) as Counts,
  }));
}

/** The state of the site's quality, with a strong entity tag that changes with it. */
export async function makeOverview({
  db,
  runners,
  schedule,
}: OverviewDependencies): Promise<{ etag: string; overview: Overview }> {
  const [running, last, counts, groups, categories, runs, alive, due] = await Promise.all([
    findRunningRun(db),
    findLatestFinishedRun(db),
    countFindings(db),
    listFindingGroups(db, { status: ["open"] }),
    listOpenCategories(db),
    trendOf(db),
    runners(),
    schedule.nextAt(),
  ]);
  const overview: Overview = {
    currentRun: running && serializeRun(running),
    lastRun: last && serializeRun(last),
    open: counts.open,
    queued: counts.queued,
    ignored: counts.ignored,
    fixedFindings: last?.fixed_findings ?? 0,
    groups: groups.map(serializeGroup),
    categories,
    trend: runs,
    nextRunAt: schedule.minutes > 0 && alive > 0 ? due : null,
    intervalMinutes: schedule.minutes,
    autofix: schedule.autofix,
  };
  return { etag: `"${sha256Hex(JSON.stringify(overview)).slice(0, 32)}"`, overview };
}
