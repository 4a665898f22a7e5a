import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { collapseSqlite, copySqlite } from "../../platform/db/copy-sqlite.ts";
import { fsyncFolder, removeTree } from "../../platform/files.ts";
import { acquireLock } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { completeCommit, failUpgrade, nextDatabase, switchLock, trialFolder } from "./commit.ts";
import { readState, type UpgradeState, writeState } from "./state.ts";

/** How long commands may still use the database, in ms. */
const waitForOthersMs = 20_000;

/** The new program's answer about data that nobody writes to anymore. */
export interface LiveTrial {
  /** Migrates this SQLite file, starts on it, and checks its pages. Throws if anything is wrong. */
  database(file: string): Promise<void>;
  /** The same with a copy of a PostgreSQL database; null for SQLite. */
  postgres: (() => Promise<void>) | null;
}

export interface SwitchDependencies {
  paths: InstancePaths;
  now(): number;
  trial: LiveTrial;
  /** Stops everything that writes. */
  stop(): Promise<void>;
  /** Starts the program that served before again. */
  resume(): void;
}

async function tryOnCopy({ paths, trial }: SwitchDependencies): Promise<void> {
  if (trial.postgres !== null) return trial.postgres();
  await collapseSqlite(paths.database, waitForOthersMs);
  const copy = join(trialFolder(paths), "data/vitrine.db");
  await removeTree(trialFolder(paths));
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  await copySqlite(paths.database, copy);
  await trial.database(copy);
  await collapseSqlite(copy, 0);
  await rename(copy, nextDatabase(paths));
  await fsyncFolder(paths.upgrade);
  return undefined;
}

/** What to tell the owner of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : String((error as Error).message ?? error);
}

/**
 * Switches to the new program: stops everything that writes, has the new program migrate and serve
 * a copy of the data, and commits if that went well. Until then, nothing of the instance has
 * changed, so everything before is simply resumed after a failure. Returns the state: `committed`,
 * or `failed` with the reason. Throws `locked` if somebody else switches.
 */
export async function switchProgram(
  deps: SwitchDependencies,
  before: UpgradeState,
): Promise<UpgradeState> {
  const { paths, now } = deps;
  const lock = acquireLock(switchLock(paths));
  if (lock === null) throw new AppError("locked", "Another upgrade of this instance is running.");
  let state = before;
  try {
    const current = await readState(paths);
    if (current?.phase !== "ready" || current.startedAt !== before.startedAt) {
      throw new AppError("conflict", "The upgrade has ended.");
    }
  } catch (error) {
    lock.release();
    throw error;
  }
  try {
    // Before anything else: from now on, commands don't open the database.
    state = await writeState(paths, {
      ...before,
      phase: "switching",
      step: "Trying the new version with the current data",
    });
    await deps.stop();
    await tryOnCopy(deps);
    const committed = { ...state, phase: "committed" as const, step: "Switching" };
    state = await writeState(paths, committed);
    await completeCommit(paths, state);
    return state;
  } catch (error) {
    // The next start completes it.
    if (state.phase === "committed") throw error;
    const failed = await failUpgrade(paths, state, { reason: reasonOf(error), now: now() });
    deps.resume();
    return failed;
  } finally {
    lock.release();
  }
}
