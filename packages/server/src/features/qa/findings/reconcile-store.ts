import { type ExpressionBuilder, sql } from "kysely";
import { dialectOf } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Counts } from "../schema.ts";
import { countFindings } from "./list-store.ts";
import { type FindingRow, type FindingTables, type NewFinding, tables } from "./store.ts";

/** Each row has about thirty columns; SQLite accepts 32,766 values per statement. */
const rowsAtOnce = 250;
const idsAtOnce = 5000;

function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** Locks findings until the end of the transaction, so that what was read stays true. */
export async function lockFindings(trx: Db): Promise<void> {
  if (dialectOf(trx) === "postgres") {
    await sql`lock table finding in share row exclusive mode`.execute(trx);
  }
}

type Where = ExpressionBuilder<FindingTables, "finding">;

const ofReporter = (reporter: string | null) => (eb: Where) =>
  reporter === null ? eb("reporter", "is", null) : eb("reporter", "=", reporter);

/**
 * Unfixed findings that a QA run has to evaluate one by one. If `isUnchanged`, findings that depend
 * on the site's pages are left out, except those that wait for a task.
 */
export async function listUnfixedFindings(
  trx: Db,
  { reporter, isUnchanged }: { reporter: string | null; isUnchanged: boolean },
): Promise<FindingRow[]> {
  let query = tables(trx)
    .selectFrom("finding")
    .selectAll()
    .where("status", "in", ["open", "queued", "ignored"])
    .where(ofReporter(reporter));
  if (isUnchanged) {
    query = query.where(({ or, eb }) =>
      or([eb("scope", "not in", ["page", "site"]), eb("status", "=", "queued")]),
    );
  }
  return query.orderBy("id").execute();
}

export async function listFindingsByFingerprint(
  trx: Db,
  fingerprints: readonly string[],
): Promise<FindingRow[]> {
  const found: FindingRow[] = [];
  for (const some of chunks(fingerprints, idsAtOnce)) {
    const query = tables(trx).selectFrom("finding").selectAll().where("fingerprint", "in", some);
    found.push(...(await query.execute()));
  }
  return found;
}

/** Those of these fingerprints that belong to a finding that isn't fixed. */
export async function listUnfixedFingerprints(
  db: Db,
  fingerprints: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of chunks(fingerprints, idsAtOnce)) {
    const rows = await tables(db)
      .selectFrom("finding")
      .select("fingerprint")
      .where("fingerprint", "in", some)
      .where("status", "!=", "fixed")
      .execute();
    for (const { fingerprint } of rows) found.add(fingerprint);
  }
  return found;
}

/** Those of these tasks that went live before the run started. */
export async function listPublishedBefore(
  trx: Db,
  runId: number,
  taskIds: readonly number[],
): Promise<Set<number>> {
  const published = new Set<number>();
  for (const some of chunks([...new Set(taskIds)], idsAtOnce)) {
    const rows = await tables(trx)
      .selectFrom("task")
      .select("id")
      .where("id", "in", some)
      .where("status", "=", "published")
      .where(sql<boolean>`finished_at < (select started_at from qa_run where id = ${runId})`)
      .execute();
    for (const { id } of rows) published.add(id);
  }
  return published;
}

export async function insertFindings(trx: Db, rows: readonly NewFinding[]): Promise<void> {
  for (const some of chunks(rows, rowsAtOnce)) {
    await tables(trx).insertInto("finding").values(some).execute();
  }
}

/** Replaces whole rows by ID; the time of the first sighting stays. */
export async function replaceFindings(trx: Db, rows: readonly FindingRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const fixed = new Set(["id", "first_seen_at", "first_run_id"]);
  const names = Object.keys(first).filter((name) => !fixed.has(name)) as (keyof FindingRow)[];
  for (const some of chunks(rows, rowsAtOnce)) {
    await tables(trx)
      .insertInto("finding")
      .values(some)
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet(
            Object.fromEntries(names.map((name) => [name, sql.ref(`excluded.${name}`)])),
          ),
      )
      .execute();
  }
}

/** The changes to a finding that a QA run has seen again. */
const seenBy = (runId: number, at: string) => ({
  last_seen_at: at,
  last_run_id: runId,
  seen_count: sql<number>`seen_count + 1`,
});

/** Records that the run has seen these findings unchanged. */
export async function touchFindings(
  trx: Db,
  ids: readonly number[],
  { runId, at }: { runId: number; at: string },
): Promise<void> {
  for (const some of chunks(ids, idsAtOnce)) {
    await tables(trx)
      .updateTable("finding")
      .set(seenBy(runId, at))
      .where("id", "in", some)
      .execute();
  }
}

/** The same for all findings that depend on the site's pages, if these haven't changed. */
export async function touchUnchanged(
  trx: Db,
  { runId, at }: { runId: number; at: string },
): Promise<void> {
  await tables(trx)
    .updateTable("finding")
    .set(seenBy(runId, at))
    .where("status", "in", ["open", "ignored"])
    .where("scope", "in", ["page", "site"])
    .where("reporter", "is", null)
    .where("fixed_at", "is", null)
    .where("last_run_id", "<", runId)
    .execute();
}

/** Marks findings as fixed at a time; ignored ones keep their status. */
export async function markFixed(
  trx: Db,
  ids: readonly number[],
  { at, ignored }: { at: string; ignored: boolean },
): Promise<void> {
  for (const some of chunks(ids, idsAtOnce)) {
    await tables(trx)
      .updateTable("finding")
      .set({ fixed_at: at, ...(!ignored && { status: "fixed" as const }) })
      .where("id", "in", some)
      .execute();
  }
}

/** Stores how the run involved each finding. */
export async function markFindings(
  trx: Db,
  runId: number,
  { fixed, reopened }: { fixed: readonly number[]; reopened: readonly number[] },
): Promise<void> {
  const marks = [
    ...fixed.map((id) => ({ run_id: runId, finding_id: id, state: "fixed" as const })),
    ...reopened.map((id) => ({ run_id: runId, finding_id: id, state: "reopened" as const })),
  ];
  for (const some of chunks(marks, idsAtOnce)) {
    await tables(trx).insertInto("finding_run").values(some).execute();
  }
  await sql`
    insert into finding_run (run_id, finding_id, state)
    select last_run_id, id, case when first_run_id = last_run_id then 'new' else 'seen' end
    from finding where last_run_id = ${runId}
    on conflict do nothing`.execute(trx);
}

export interface ReconcileResult {
  /** New and open, so without those that a rule ignores immediately. */
  newFindings: number;
  fixedFindings: number;
  reopenedFindings: number;
  /** Of findings open after the run. */
  counts: Counts;
}

/** The result of a QA run. */
export async function summarizeRun(trx: Db, runId: number): Promise<ReconcileResult> {
  const rows = await tables(trx)
    .selectFrom("finding_run")
    .innerJoin("finding", "finding.id", "finding_run.finding_id")
    .select(["state", sql<number>`count(*)`.as("number")])
    .where("run_id", "=", runId)
    .where(({ or, eb }) => or([eb("state", "=", "fixed"), eb("finding.status", "=", "open")]))
    .groupBy("state")
    .execute();
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.number ?? 0);
  const { open } = await countFindings(trx);
  return {
    newFindings: of("new"),
    fixedFindings: of("fixed"),
    reopenedFindings: of("reopened"),
    counts: open,
  };
}
