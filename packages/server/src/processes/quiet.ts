import { findRunningRun } from "../features/qa/runs/store.ts";
import { rebuildState } from "../features/release/rebuild-requests.ts";
import { activeStatuses } from "../features/runs/run-status.ts";
import { listRunsByStatus } from "../features/runs/store.ts";
import type { Db } from "../platform/db/connect.ts";

/** Whether no rebuild, run, or QA run is working or waiting in any process of the instance. */
export async function isInstanceQuiet(db: Db): Promise<boolean> {
  const { state } = await rebuildState(db);
  if (state === "pending" || state === "building") return false;
  if ((await findRunningRun(db)) !== null) return false;
  return (await listRunsByStatus(db, [...activeStatuses, "publishing"])).length === 0;
}
