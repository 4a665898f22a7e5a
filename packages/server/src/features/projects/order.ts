import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findPositions, lockOrder, separatePositions, writePositions } from "./order-store.ts";

/** Throws with the indexes of unknown IDs. */
function assertKnownIds(ids: readonly number[], places: ReadonlyMap<number, number>): void {
  const fields: Record<string, string> = {};
  const seen = new Set<number>();
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) fields[`ids.${index}`] = "is listed twice";
    else if (!places.has(id)) fields[`ids.${index}`] = "isn't a project";
    seen.add(id);
  }
  const wrong = Object.keys(fields);
  if (wrong.length === 0) return;
  throw new AppError("validation_failed", `Check the following: ${wrong.join(", ")}.`, { fields });
}

/** Which projects get which new positions. */
async function positionChanges(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  assertKnownIds(ids, await findPositions(db, ids));
  await separatePositions(db);
  const positions = await findPositions(db, ids);
  const places = [...positions.values()].toSorted((a, b) => a - b);
  const wanted = ids.map((id, index) => [id, places[index] ?? 0] as const);
  return new Map(wanted.filter(([id, place]) => positions.get(id) !== place));
}

/**
 * Puts projects in the given order into the positions that they occupy; false if they are in this
 * order already. Call in a transaction. Throws `validation_failed`.
 */
export async function reorderProjects(db: Db, ids: readonly number[]): Promise<boolean> {
  await lockOrder(db);
  const places = await positionChanges(db, ids);
  if (places.size === 0) return false;
  await writePositions(db, places);
  return true;
}
