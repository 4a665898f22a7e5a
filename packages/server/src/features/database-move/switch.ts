import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import {
  hashUrl,
  readActiveDatabase,
  writeActiveDatabase,
} from "../../platform/active-database.ts";
import { collapseSqlite } from "../../platform/db/copy-sqlite.ts";
import { listTableNames } from "../../platform/db/copy/tables.ts";
import { freezeDatabase } from "../../platform/db/move-marks.ts";
import { countOtherSessions } from "../../platform/db/scratch.ts";
import { fsyncFile } from "../../platform/files.ts";
import { acquireLock, type HeldLock, lockState } from "../../platform/lock.ts";
import { placeName } from "./address.ts";
import { type CopyOptions, copySequences, copyTables, verifyTables } from "./copy.ts";
import { type MoveDependencies, withSource } from "./source.ts";
import { type MoveState, type Paused, readMoveState, readPaused, writeMoveState } from "./state.ts";
import { completeTarget, type Target } from "./target.ts";

/** How long a supervisor may take to pause or resume, and commands may use the database, in ms. */
const pauseTimeoutMs = 60_000;
const waitForOthersMs = 20_000;
const pollMs = 50;

/** The right to be the only one who works on the instance. */
export interface Pause {
  paused: Paused | null;
  lock: HeldLock | null;
}

/** Has the supervisor pause, or takes its place if there is none. */
export async function pauseInstance(
  { config, signal }: MoveDependencies,
  id: string,
): Promise<Pause> {
  const { paths } = config;
  const deadline = performance.now() + pauseTimeoutMs;
  for (;;) {
    const lock = acquireLock(paths.supervisorLock);
    if (lock !== null) return { lock, paused: null };
    const paused = await readPaused(paths, id);
    if (paused !== null) return { lock: null, paused };
    if (performance.now() > deadline) {
      const message = "Vitrine doesn't pause. Restart it with this version, and try again.";
      throw new AppError("unavailable", message);
    }
    signal.throwIfAborted();
    await delay(pollMs);
  }
}

/** Throws unless what is served is what this command is about to move. */
function assertSameDatabase({ config }: MoveDependencies, { paused }: Pause): void {
  const { databaseUrl: url } = config;
  if (paused === null || paused.served === (url === null ? null : hashUrl(url))) return;
  const message =
    "Vitrine runs with another DATABASE_URL than this command. Set the same one, and try again.";
  throw new AppError("conflict", message);
}

/** Throws `in_use` if commands or processes outside of the supervisor use the source for long. */
async function assertUnused({ config, signal }: MoveDependencies): Promise<void> {
  const { databaseUrl: url, paths } = config;
  if (url === null) return collapseSqlite(paths.database, waitForOthersMs);
  const deadline = performance.now() + waitForOthersMs;
  while ((await countOtherSessions(url)) > 0) {
    if (performance.now() > deadline) {
      const message =
        "Another process uses the database. End all commands, and web or runner processes that were started separately.";
      throw new AppError("in_use", message);
    }
    signal.throwIfAborted();
    await delay(pollMs);
  }
}

/** The step from which the new database is the instance's. */
async function commit(
  { config, given, clock }: MoveDependencies,
  { id, from, to }: MoveState,
  { paused }: Pause,
): Promise<void> {
  const { paths } = config;
  if (to.url === null) await fsyncFile(paths.database);
  const left = [from.url, given].flatMap((url) => (url === null ? [] : hashUrl(url)));
  if (paused?.given) left.push(paused.given);
  const before = readActiveDatabase(paths)?.leftUrls ?? [];
  const current = to.url === null ? null : hashUrl(to.url);
  const leftUrls = [...new Set([...before, ...left])].filter((one) => one !== current);
  const movedAt = isoTime(clock.now());
  await writeActiveDatabase(paths, { moveId: id, url: to.url, movedAt, leftUrls });
}

export interface Copying {
  state: MoveState;
  target: Target;
  options: Omit<CopyOptions, "source">;
}

/** Brings over what has changed while nobody writes, verifies it, and commits. */
export async function switchDatabase(
  deps: MoveDependencies,
  { state, target, options }: Copying,
  pause: Pause,
): Promise<number> {
  const { config, clock, onProgress, onStep = () => {} } = deps;
  const { paths } = config;
  await writeMoveState(paths, { ...state, phase: "switching" });
  onStep("switching");
  assertSameDatabase(deps, pause);
  await assertUnused(deps);
  onProgress("Copying what has changed");
  const rows = await withSource(deps, async (source) => {
    const at = isoTime(clock.now());
    const moved = { moveId: state.id, to: placeName(state.to), at };
    await freezeDatabase(source, await listTableNames(source), moved);
    onStep("frozen");
    const copying = { ...options, source };
    const copied = await copyTables(copying, true);
    await copySequences(copying);
    onStep("copied what has changed");
    onProgress("Verifying");
    await verifyTables(copying, copied);
    onStep("verified");
    return [...copied.values()].reduce((sum, table) => sum + table.rows, 0);
  });
  await completeTarget(target);
  onStep("target has all keys");
  await target.close();
  await commit(deps, state, pause);
  onStep("committed");
  return rows;
}

/** Waits until the supervisor has noticed the end, so that the instance serves when this returns. */
export async function untilResumed({ config }: MoveDependencies, id: string): Promise<void> {
  const deadline = performance.now() + pauseTimeoutMs;
  const { paths } = config;
  const isPaused = async () =>
    (await readPaused(paths, id)) !== null && lockState(paths.supervisorLock) === "held";
  // A move that isn't complete is the supervisor's, once this process has ended.
  while (readMoveState(paths) === null && (await isPaused()) && performance.now() < deadline) {
    await delay(pollMs);
  }
}
