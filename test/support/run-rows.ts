import type { RunStatus } from "../../packages/server/src/features/runs/schema.ts";
import { insertRun } from "../../packages/server/src/features/runs/store.ts";
import type { Clock } from "../../packages/server/src/kit/clock.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { newUlid } from "../../packages/server/src/kit/ulid.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";

/** Writes a run down that is in this state now, as far as a store cares; gives its id. */
export async function addRunRow(
  db: Db,
  { now }: Pick<Clock, "now">,
  status: RunStatus,
): Promise<string> {
  const id = newUlid(now());
  await insertRun(db, {
    id,
    kind: "edit",
    mode: "build",
    instruction: "x",
    page_url: null,
    restored_run_id: null,
    status,
    model: "literal",
    actor: "Editor",
    created_at: isoTime(now()),
  });
  return id;
}
