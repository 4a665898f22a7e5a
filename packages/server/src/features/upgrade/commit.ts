import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { exists, fsyncFolder, removeTree } from "../../platform/files.ts";
import { lockState } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { linkedProgram, linkProgram, pruneProgramsExcept } from "./programs.ts";
import { readState, tidyState, type UpgradeState, writeState } from "./state.ts";

/** The migrated copy of a SQLite database, complete and checked, that replaces the database. */
export const nextDatabase = ({ upgrade }: Pick<InstancePaths, "upgrade">) =>
  join(upgrade, "vitrine.db");
/** The instance on trial. */
export const trialFolder = ({ upgrade }: Pick<InstancePaths, "upgrade">) => join(upgrade, "trial");
/** Held by the command for the whole upgrade. */
export const upgradeLock = ({ upgrade }: Pick<InstancePaths, "upgrade">) =>
  join(upgrade, "upgrade.lock");
/** Held by whoever switches. */
export const switchLock = ({ upgrade }: Pick<InstancePaths, "upgrade">) =>
  join(upgrade, "switch.lock");

/** Whether another process is about to replace the database. */
export async function isBeingSwitched(paths: InstancePaths): Promise<boolean> {
  const state = await readState(paths);
  return state?.phase === "switching" && lockState(switchLock(paths)) === "held";
}

/**
 * Throws `locked` while an upgrade replaces the database, so that nothing is written to the one
 * before. Called after the database was opened: whoever switches waits for open connections.
 */
export async function assertNotSwitching(paths: InstancePaths): Promise<void> {
  if (await isBeingSwitched(paths)) {
    throw new AppError("locked", "Vitrine is being upgraded. Try again in a moment.");
  }
  const state = await readState(paths);
  if (state?.phase !== "committed" || !(await exists(nextDatabase(paths)))) return;
  throw new AppError("locked", "An upgrade isn't complete. Start Vitrine to complete it.");
}

/**
 * Puts the checked database and program in place, after the state says `committed`; what is done
 * already is skipped, so it can be repeated after any interruption.
 */
export async function completeCommit(paths: InstancePaths, state: UpgradeState): Promise<void> {
  const next = nextDatabase(paths);
  if (await exists(next)) {
    // The database before was one file: its logs would belong to nothing.
    for (const suffix of ["-wal", "-shm"]) await rm(paths.database + suffix, { force: true });
    await rename(next, paths.database);
    await fsyncFolder(paths.data);
  }
  if (state.isFetched && state.to !== null) await linkProgram(paths, state.to);
}

/** Ends an upgrade before its commit: the program and the database stay what they are. */
export async function failUpgrade(
  paths: InstancePaths,
  state: UpgradeState,
  { reason, now }: { reason: string; now: number },
): Promise<UpgradeState> {
  const failed = { ...state, phase: "failed" as const, reason, finishedAt: isoTime(now) };
  await writeState(paths, failed);
  await removeTree(nextDatabase(paths));
  await removeTree(trialFolder(paths));
  const { to, isFetched } = state;
  if (isFetched && to !== null && linkedProgram(paths)?.version !== to) {
    await removeTree(join(paths.programs, to));
  }
  return failed;
}

/**
 * Resolves an upgrade that was interrupted: back before its commit, forward after it. Leaves one
 * alone that is still running. To be called before anything is served. Returns the state; null if
 * there never was an upgrade.
 */
export async function resolveUpgrade(
  paths: InstancePaths,
  now: number,
): Promise<UpgradeState | null> {
  const state = await readState(paths);
  if (state === null) return null;
  if (state.phase === "committed") {
    await completeCommit(paths, state);
    return state;
  }
  if (state.phase === "done" || state.phase === "failed") return state;
  // In preparation, it is the command's; then it belongs to who serves, and nobody does.
  const lock = state.phase === "switching" ? switchLock(paths) : upgradeLock(paths);
  if (lockState(lock) === "held") return state;
  return failUpgrade(paths, state, { reason: `It was interrupted: ${state.step}.`, now });
}

/**
 * Ends a committed upgrade as the new program, when it has migrated. Keeps the program before, and
 * removes older ones. Returns whether there was one to end.
 */
export async function finishUpgrade(paths: InstancePaths, now: number): Promise<boolean> {
  const state = await readState(paths);
  if (state?.phase !== "committed") return false;
  await writeState(paths, { ...state, phase: "done", step: "Done", finishedAt: isoTime(now) });
  await tidyState(paths);
  await removeTree(trialFolder(paths));
  if (state.isFetched) await pruneProgramsExcept(paths, [state.from, state.to]);
  return true;
}
