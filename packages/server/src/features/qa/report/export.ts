import type { ReportFinding } from "vitrine-qa/src/report/report.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listFindings } from "../findings/list-store.ts";
import { sourceText } from "../fix/evidence.ts";
import { serializeFinding } from "../serialize.ts";
import type { FindingStatus } from "../schema.ts";
import { findAssessments } from "../source/store.ts";

const atOnce = 500;

/** All stored findings in these states, most severe first, with where they are edited. */
export async function listFindingsForExport(
  db: Db,
  status: readonly FindingStatus[],
): Promise<ReportFinding[]> {
  const found = new Map<number, ReportFinding>();
  for (let page = 1; ; page += 1) {
    const { rows } = await listFindings(db, { status, sort: "oldest", page, perPage: atOnce });
    const ids = rows.map(({ id }) => id);
    const assessments = await findAssessments(db, ids);
    // A finding that moves between two pages of the query is exported once.
    for (const row of rows) {
      const { source: _source, ...finding } = serializeFinding(row);
      const source = assessments.get(row.id)?.source ?? null;
      found.set(row.id, { ...finding, ...(source && { source: sourceText(source) }) });
    }
    if (rows.length < atOnce) return [...found.values()];
  }
}
