import { rename } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";
import { type ActiveDatabase, readActiveDatabase } from "../../platform/active-database.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { collapseSqlite } from "../../platform/db/copy-sqlite.ts";
import { listTableNames } from "../../platform/db/copy/tables.ts";
import {
  deleteIncomplete,
  readIncomplete,
  readMoved,
  thawDatabase,
} from "../../platform/db/move-marks.ts";
import { exists, fsyncFolder } from "../../platform/files.ts";
import { acquireLock } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { type MoveState, moveLock, readMoveState, removeMoveState } from "./state.ts";

/** How long others may still have the SQLite file open that was moved, in ms. */
const waitForOthersMs = 2000;

/** Opens one of a move's databases, calls `work`, and closes it. */
export async function withDatabase<T>(
  paths: InstancePaths,
  { url }: { url: string | null },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase({ url, file: paths.database });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The name of a SQLite file whose records were moved. */
const movedFile = ({ database }: InstancePaths, at: string) =>
  `${database}.moved-${at.replace(/\.\d+/, "").replaceAll(":", "-")}`;

/**
 * Renames the SQLite file of a completed move, so that no script uses it by mistake. While somebody
 * has it open, it keeps its name; it accepts no writes anyway. Returns its name.
 */
export async function setSqliteAside(paths: InstancePaths): Promise<string> {
  const { database: file, data } = paths;
  const moved = await withDatabase(paths, { url: null }, ({ db }) => readMoved(db));
  if (moved === null) return file;
  try {
    await collapseSqlite(file, waitForOthersMs);
  } catch (error) {
    if (error instanceof AppError) return file;
    throw error;
  }
  const aside = movedFile(paths, moved.at);
  await rename(file, aside);
  await fsyncFolder(data);
  return aside;
}

/**
 * Does what follows once `database.json` names the new database; what is done already is skipped,
 * so it can be repeated after any interruption. `onStep` is called after each step. Returns the
 * name of the SQLite file that was left; null if PostgreSQL was.
 */
export async function completeMove(
  paths: InstancePaths,
  state: MoveState,
  onStep: (step: string) => void = () => {},
): Promise<string | null> {
  await withDatabase(paths, state.to, async ({ db }) => {
    if ((await readIncomplete(db))?.moveId === state.id) await deleteIncomplete(db);
  });
  onStep("target complete");
  const isLeft = state.from.url === null && (await exists(paths.database));
  const left = isLeft ? await setSqliteAside(paths) : null;
  onStep("source set aside");
  await removeMoveState(paths);
  return left;
}

/** Ends a move before its commit: the database that served accepts writes again. */
export async function takeBack(paths: InstancePaths, state: MoveState): Promise<void> {
  if (state.phase === "switching") {
    await withDatabase(paths, state.from, async (database) =>
      thawDatabase(database, await listTableNames(database), state.id),
    );
  }
  await removeMoveState(paths);
}

/** Whether this move is committed: whatever happens, the new database is the instance's. */
export const isCommitted = (active: ActiveDatabase | null, state: MoveState) =>
  active?.moveId === state.id;

/**
 * Resolves a move that was interrupted: back before its commit, forward after it. Leaves one alone
 * that is running. Returns what it did; null if there was nothing to do.
 */
export async function resolveMove(
  paths: InstancePaths,
): Promise<"completed" | "taken back" | null> {
  if (readMoveState(paths) === null) return null;
  const lock = acquireLock(moveLock(paths));
  if (lock === null) return null;
  try {
    const state = readMoveState(paths);
    if (state === null) return null;
    if (isCommitted(readActiveDatabase(paths), state)) {
      await completeMove(paths, state);
      return "completed";
    }
    await takeBack(paths, state);
    return "taken back";
  } finally {
    lock.release();
  }
}
