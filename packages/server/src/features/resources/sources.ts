import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type AgentKind, type Source, sourceBounds } from "./schema.ts";
import {
  deleteSource,
  enabledSources,
  insertSource,
  listSources,
  lockSources,
  countSources,
  setSourcePositions,
  type SourceRow,
  updateSource,
} from "./store.ts";

export interface SourceDependencies {
  db: Db;
  clock: Clock;
}

/** The enabled sources for these kinds of agents, including those for all, in order. */
export async function sourcesFor(
  db: Db,
  ...agents: readonly AgentKind[]
): Promise<Pick<Source, "title" | "url" | "notes">[]> {
  const found = await enabledSources(db, agents);
  return found.map(({ title, url, notes }) => ({ title, url, notes }));
}

function noSource(): AppError {
  return new AppError("not_found", "This source doesn't exist.");
}

/** Throws `conflict` if this many more sources would exceed the limit. */
export function assertRoomForSources(count: number): void {
  const { count: max } = sourceBounds;
  if (count <= max) return;
  throw new AppError("conflict", `You can have at most ${max} sources. Delete some first.`);
}

/** Adds a source at the end. Throws `conflict` if the limit is reached. */
export async function createSource(
  { db, clock }: SourceDependencies,
  row: SourceRow,
): Promise<Source> {
  return db.transaction().execute(async (transaction) => {
    await lockSources(transaction);
    const { count, next } = await countSources(transaction);
    assertRoomForSources(count + 1);
    return insertSource(transaction, row, { position: next, now: isoTime(clock.now()) });
  });
}

/** Changes the given fields of a source. Throws `not_found`. */
export async function saveSource(
  { db, clock }: SourceDependencies,
  { id, ...change }: { id: number } & { [K in keyof SourceRow]?: SourceRow[K] | undefined },
): Promise<Source> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const saved = await updateSource(db, id, Object.fromEntries(given), isoTime(clock.now()));
  if (!saved) throw noSource();
  return saved;
}

/** Deletes a source. Throws `not_found`. */
export async function removeSource(
  { db }: SourceDependencies,
  id: number,
): Promise<{ id: number; deleted: true }> {
  if (!(await deleteSource(db, id))) throw noSource();
  return { id, deleted: true };
}

/**
 * Puts sources in the order of `ids` into the positions that they occupy; others stay. Returns all
 * sources in order. Throws `not_found` if one doesn't exist any more.
 */
export async function reorderSources(
  { db }: SourceDependencies,
  ids: readonly number[],
): Promise<Source[]> {
  return db.transaction().execute(async (transaction) => {
    const before = (await listSources(transaction)).map(({ id }) => id);
    const moved = new Set(ids);
    if (ids.some((id) => !before.includes(id))) throw noSource();
    const order = ids.values();
    await setSourcePositions(
      transaction,
      before.map((id) => (moved.has(id) ? (order.next().value ?? id) : id)),
    );
    return listSources(transaction);
  });
}
