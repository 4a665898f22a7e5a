import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { FindingDetail } from "./findings/store.ts";
import { findSkipReason } from "./fix/autofix.ts";
import type { FixModel } from "./fix/fix-method.ts";
import { listFixes } from "./fix/store.ts";
import type { FindingRecord } from "./schema.ts";
import { serializeFinding } from "./serialize.ts";
import { findAssessments } from "./source/store.ts";

export interface SerializeFindingsDependencies {
  db: Db;
  clock: Clock;
  /** The abilities of the selected model. */
  model(): Promise<FixModel>;
}

/** Findings for a response, with how they could be fixed. */
export async function serializeFindings(
  { db, clock, model: readModel }: SerializeFindingsDependencies,
  rows: readonly FindingDetail[],
): Promise<FindingRecord[]> {
  const ids = rows.map(({ id }) => id);
  const [assessments, fixes, model] = await Promise.all([
    findAssessments(db, ids),
    listFixes(db, ids),
    readModel(),
  ]);
  const byFinding = Map.groupBy(fixes, ({ findingId }) => findingId);
  return rows.map((row) => {
    const left = findSkipReason(byFinding.get(row.id) ?? [], clock.now());
    return serializeFinding(row, { assessment: assessments.get(row.id), model, left });
  });
}
