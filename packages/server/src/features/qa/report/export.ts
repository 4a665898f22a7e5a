import type { Db } from "../../../platform/db/connect.ts";
import { listFindings } from "../findings/list-store.ts";
import { serializeFinding } from "../serialize.ts";
import type { FindingRecord, FindingStatus } from "../schema.ts";

const atOnce = 500;

/** All stored findings in these states, most severe first. */
export async function listFindingsForExport(
  db: Db,
  status: readonly FindingStatus[],
): Promise<FindingRecord[]> {
  const found = new Map<number, FindingRecord>();
  for (let page = 1; ; page += 1) {
    const { rows } = await listFindings(db, { status, sort: "oldest", page, perPage: atOnce });
    // A finding that moves between two pages of the query is exported once.
    for (const row of rows) found.set(row.id, serializeFinding(row));
    if (rows.length < atOnce) return [...found.values()];
  }
}
