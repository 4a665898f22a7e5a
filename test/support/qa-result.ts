import { sql } from "kysely";
import { clearTasks } from "./queue-tasks.ts";
import type {
  EngineResult,
  CachedResource,
  Observation,
} from "../../packages/qa/src/engine/job.ts";
import { finishRun } from "../../packages/server/src/features/qa/runs/finish-run.ts";
import { insertRun, type QaRunRow } from "../../packages/server/src/features/qa/runs/store.ts";
import type { ReconcileResult } from "../../packages/server/src/features/qa/findings/reconcile-store.ts";
import { tables } from "../../packages/server/src/features/qa/findings/store.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";

/** What an engine could see: a broken link on a page, unless told. */
export function observation(
  fingerprint: string,
  { pages, ...overrides }: Partial<Observation> & { pages?: string[] } = {},
): Observation {
  const on = pages ?? [overrides.page ?? "/"];
  const places = on.map((page) => ({ page, selector: "main a", line: 7, text: "Read more" }));
  return {
    fingerprint,
    check: "link.internal-broken",
    category: "links",
    severity: "error",
    page: on[0] ?? "/",
    target: `/${fingerprint}`,
    message: `The link leads to /${fingerprint}, which is not there.`,
    evidence: { status: 404 },
    isSafe: false,
    critical: false,
    confidence: "confirmed",
    scope: "page",
    engine: "vitrine 1",
    occurrences: places.slice(0, 50),
    occurrenceCount: places.length,
    pageCount: on.length,
    ...overrides,
  };
}

/** What a QA run over a site of the pages / and /a/ came to, unless told. */
export function result(overrides: Partial<EngineResult> = {}): EngineResult {
  const visited = overrides.visited ?? ["/", "/a/"];
  return {
    observations: [],
    isUnchanged: false,
    visited,
    unchangedBrowserPages: [],
    browserVisited: visited,
    uncheckedExternals: [],
    unchangedChecks: [],
    skippedChecks: [],
    isComplete: true,
    cache: { site: null, resources: [], externals: [] },
    stats: { pages: visited.length, links: 12, browserPages: 0, ms: 5 },
    ...overrides,
  };
}

export function resource(path: string, overrides: Partial<CachedResource> = {}): CachedResource {
  return {
    url: `https://site.example${path}`,
    kind: "page",
    etag: null,
    lastModified: null,
    hash: `hash of ${path}`,
    status: 200,
    browserKey: null,
    browserVisited: false,
    ...overrides,
  } as CachedResource;
}

let minutes = 0;

/** Goes through one run with this result, an hour after the one before. */
export async function runOver(
  db: Db,
  overrides: Partial<EngineResult> = {},
  { at, keep = 50 }: { at?: string; keep?: number } = {},
): Promise<ReconcileResult & { runId: number; at: string }> {
  minutes += 60;
  const when = at ?? new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
  const row = (await insertRun(db, { trigger: "manual", runnerId: "r", by: "Owner" })) as QaRunRow;
  const sum = await finishRun(db, { runId: row.id, result: result(overrides), at: when, keep });
  if (sum === null) throw new Error("the run did not end");
  return { ...sum, runId: row.id, at: when };
}

/** The findings' states by their fingerprints. */
export async function states(db: Db): Promise<Record<string, string>> {
  const rows = await tables(db).selectFrom("finding").selectAll().orderBy("id").execute();
  return Object.fromEntries(rows.map(({ fingerprint, status }) => [fingerprint, status]));
}

/** Takes all that runs have written away: cheaper than a database for each test. */
export async function clearQa(db: Db): Promise<void> {
  const all = ["qa_run", "finding", "finding_ignore", "qa_resource", "qa_external", "qa_site"];
  for (const table of all) await sql`delete from ${sql.table(table)}`.execute(db);
  await clearTasks(db);
}
