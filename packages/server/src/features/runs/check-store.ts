import type { Db } from "../../platform/db/connect.ts";
import type { BuildReport } from "./schema.ts";

interface RunCheckTable {
  run_id: string;
  artifact_sha: string;
  report: string;
  created_at: string;
}

function tables(db: Db) {
  return db.withTables<{ run_check: RunCheckTable }>();
}

/** Stores the check report of a run's artifact, replacing an earlier one. */
export async function saveCheckReport(
  db: Db,
  runId: string,
  checked: { artifactSha: string; report: BuildReport; at: string },
): Promise<void> {
  const { artifactSha: artifact_sha, at: created_at } = checked;
  const values = { artifact_sha, report: JSON.stringify(checked.report), created_at };
  await tables(db)
    .insertInto("run_check")
    .values({ run_id: runId, ...values })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(values))
    .execute();
}

/** The check reports of these runs. */
export async function listCheckReports(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, BuildReport>> {
  if (runIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("run_check")
    .select(["run_id", "report"])
    .where("run_id", "in", runIds)
    .execute();
  return new Map(rows.map((row) => [row.run_id, JSON.parse(row.report) as BuildReport]));
}
