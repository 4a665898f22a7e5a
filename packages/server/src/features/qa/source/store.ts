import { parseJson } from "../../../kit/json.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { type FindingRow, type FindingTables, tables as findingTables } from "../findings/store.ts";
import type { Assessment } from "./assess.ts";
import type { FindingSource } from "./finding-source.ts";

type SourceTables = FindingTables & {
  finding_source: { finding_id: number; source: string | null; repair: string | null };
};

function tables(db: Db) {
  return db.withTables<SourceTables>();
}

/** The open findings that a QA run assesses, most severe first. */
export async function listAssessable(db: Db, limit: number): Promise<FindingRow[]> {
  return findingTables(db)
    .selectFrom("finding")
    .selectAll()
    .where("status", "=", "open")
    .orderBy("is_safe", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Replaces the stored assessments of findings. */
export async function saveAssessments(
  db: Db,
  assessments: ReadonlyMap<number, Assessment>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const [finding_id, { source, repair }] of assessments) {
      const known = { source: source && JSON.stringify(source), repair };
      // A finding deleted in the meantime is skipped.
      await tables(trx)
        .insertInto("finding_source")
        .columns(["finding_id", "source", "repair"])
        .expression((eb) =>
          eb
            .selectFrom("finding")
            .select(({ val, ref }) => [ref("finding.id").as("id"), val(known.source).as("source")])
            .select(({ val }) => val(known.repair).as("repair"))
            .where("finding.id", "=", finding_id),
        )
        .onConflict((conflict) => conflict.column("finding_id").doUpdateSet(known))
        .execute();
    }
  });
}

/** The assessments of these findings, by ID. */
export async function findAssessments(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, Assessment>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("finding_source")
    .selectAll()
    .where("finding_id", "in", ids)
    .execute();
  return new Map(
    rows.map(({ finding_id, source, repair }) => [
      finding_id,
      { source: source === null ? null : (parseJson(source) as FindingSource), repair },
    ]),
  );
}
