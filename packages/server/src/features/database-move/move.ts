import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { readActiveDatabase } from "../../platform/active-database.ts";
import { countRows, listTableNames } from "../../platform/db/copy/tables.ts";
import { acquireLock } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { upgradeLock } from "../upgrade/commit.ts";
import { readState } from "../upgrade/state.ts";
import { placeName } from "./address.ts";
import { type CopyOptions, copyTables, matchTables } from "./copy.ts";
import { completeMove, isCommitted, resolveMove, takeBack } from "./resolve.ts";
import { type Destination, type MoveDependencies, withSource } from "./source.ts";
import { instanceId, type MoveState, moveLock, writeMoveState } from "./state.ts";
import { type Pause, pauseInstance, switchDatabase, untilResumed } from "./switch.ts";
import { type Target, type TargetState, withPreparedTarget, withTarget } from "./target.ts";

/**
 * While web and runner serve, copying is repeated if it took so long that much may have changed, in
 * ms, but not more often.
 */
const longPassMs = 60_000;
const maxLivePasses = 3;
const rowsPerLine = 50_000;

export interface MovePlan {
  from: string;
  to: string;
  tables: number;
  rows: number;
  /** What the target contains: nothing, an unfinished move, or what an earlier move has left. */
  target: TargetState;
}

export interface MoveResult {
  from: string;
  to: string;
  tables: number;
  rows: number;
  /** Tables of the database before that aren't Vitrine's, and weren't copied. */
  skippedTables: string[];
  seconds: number;
  /** For how long only public pages were served. */
  switchSeconds: number;
  /** The database before: it accepts no writes anymore. */
  left: string;
  /** What remains for the owner. */
  next?: string;
}

/** What a move would do; changes nothing. Throws the errors of `withSource` and `withTarget`. */
export async function planMove(deps: MoveDependencies, to: Destination): Promise<MovePlan> {
  const { paths, databaseUrl } = deps.config;
  return withSource(deps, async (source) => {
    const names = await listTableNames(source);
    const instance = await instanceId(paths);
    const target = await withTarget(paths, { ...to, instance }, async (_, state) => state);
    return {
      from: placeName({ url: databaseUrl }),
      to: placeName(to),
      tables: names.length,
      rows: await countRows(source.db, names),
      target,
    };
  });
}

/** Copies everything while web and runner go on, until little is left to copy. */
async function copyLive(
  deps: MoveDependencies,
  options: Omit<CopyOptions, "source">,
): Promise<string[]> {
  const { onProgress } = deps;
  return withSource(deps, async (source) => {
    const { foreign } = await matchTables(source, options.target.database);
    for (let pass = 1; pass <= maxLivePasses; pass += 1) {
      onProgress(pass === 1 ? "Copying all tables" : "Copying what has changed since");
      const startedAt = performance.now();
      await copyTables({ ...options, source }, false);
      if (performance.now() - startedAt < longPassMs) break;
    }
    return foreign;
  });
}

/** What to do about a DATABASE_URL that leads to the database before. */
function adviceFor({ given }: MoveDependencies, to: Destination, pause: Pause | null) {
  if (given === null && !pause?.paused?.given) return {};
  const action =
    to.url === null ? "Remove it" : "Remove it, or change it to the address of the new database,";
  const where = "where Vitrine and its commands are started: the service, compose.yaml, cron jobs";
  return { next: `DATABASE_URL leads to the database before, and is ignored. ${action} ${where}.` };
}

/** Throws `forbidden` for another user, root among them, whose files the instance couldn't use. */
export async function assertOwner({ data }: InstancePaths): Promise<void> {
  const { uid } = await stat(data);
  if (uid === process.getuid?.()) return;
  throw new AppError("forbidden", "Run this as the user that owns the instance's folder.");
}

/** Ends a move that failed: the database before serves on, if the new one isn't committed. */
async function endFailed(paths: InstancePaths, state: MoveState, error: unknown): Promise<never> {
  if (isCommitted(readActiveDatabase(paths), state)) {
    const message = `The records are in ${placeName(state.to)} now, but the move isn't complete. Start Vitrine to complete it.`;
    throw new AppError("unavailable", message, { cause: error });
  }
  // Whether it was frozen, only the database knows.
  await takeBack(paths, { ...state, phase: "switching" }).catch((cause: unknown) => {
    const { message } = error as Error;
    const more =
      "The database before can't be reached, and accepts no writes until Vitrine reaches it again.";
    throw new AppError("unavailable", `${message} ${more}`, { cause });
  });
  throw error;
}

/** What a move is in progress with. */
interface Running {
  state: MoveState;
  instance: string;
  /** Set once the supervisor has paused, or its place was taken. */
  pause: Pause | null;
}

type Counted = Pick<MoveResult, "tables" | "rows" | "skippedTables"> & { pausedAt: number };

/** Reports every so many rows. */
function makeRowProgress(onProgress: (line: string) => void): (count: number) => void {
  let copied = 0;
  return (count) => {
    const isNews = Math.floor((copied + count) / rowsPerLine) > Math.floor(copied / rowsPerLine);
    copied += count;
    if (isNews) onProgress(`${copied} rows`);
  };
}

/** Copies everything into the target, and then has nothing written until the commit. */
async function fill(deps: MoveDependencies, running: Running, target: Target): Promise<Counted> {
  const { signal, onProgress, onStep = () => {}, config } = deps;
  const { state } = running;
  onStep("target prepared");
  const { tables } = await matchTables(target.database, target.database);
  const onTable = (name: string) => onStep(`copying ${name}`);
  const options = { target, tables, signal, onTable, onRows: makeRowProgress(onProgress) };
  const skippedTables = await copyLive(deps, options);
  await writeMoveState(config.paths, { ...state, phase: "ready" });
  onStep("ready");
  onProgress("Pausing web and runner");
  const pausedAt = performance.now();
  running.pause = await pauseInstance(deps, state.id);
  const rows = await switchDatabase(deps, { state, target, options }, running.pause);
  return { tables: tables.length, rows, skippedTables, pausedAt };
}

const secondsSince = (start: number) => Math.round(performance.now() - start) / 1000;

async function moveLocked(deps: MoveDependencies, running: Running): Promise<MoveResult> {
  const { config, clock, onStep } = deps;
  const { paths } = config;
  const { state, instance } = running;
  const { from, to } = state;
  const startedAt = performance.now();
  try {
    await writeMoveState(paths, state);
    onStep?.("begun");
    const prepared = { ...to, instance, moveId: state.id, now: clock.now() };
    const { pausedAt, ...counted } = await withPreparedTarget(paths, prepared, (target) =>
      fill(deps, running, target),
    );
    const left = await completeMove(paths, state, onStep);
    return {
      from: placeName(from),
      to: placeName(to),
      ...counted,
      seconds: secondsSince(startedAt),
      switchSeconds: secondsSince(pausedAt),
      left: left ?? placeName(from),
      ...adviceFor(deps, to, running.pause),
    };
  } catch (error) {
    return await endFailed(paths, state, error);
  } finally {
    running.pause?.lock?.release();
    if (running.pause?.paused) await untilResumed(deps, state.id);
  }
}

/**
 * Moves the records of an instance to another database. While it runs, its supervisor pauses for
 * the last part; otherwise, nobody can start it during that time. Until the commit, nothing of the
 * instance changes; after a kill, the next start or command decides by whether it was committed.
 * Throws `locked` during another move, and the errors of `planMove`.
 */
export async function moveDatabase(deps: MoveDependencies, to: Destination): Promise<MoveResult> {
  const { paths } = deps.config;
  await resolveMove(paths);
  const lock = acquireLock(moveLock(paths));
  if (lock === null) throw new AppError("locked", "Another move of this database is running.");
  // An upgrade replaces the database, too.
  const upgrade = acquireLock(upgradeLock(paths));
  try {
    const phase = (await readState(paths))?.phase ?? "done";
    if (upgrade === null || ["ready", "switching", "committed"].includes(phase)) {
      throw new AppError("locked", "Vitrine is being upgraded. Try again after the upgrade.");
    }
    const { databaseUrl: url } = deps.config;
    const [id, instance] = [randomBytes(8).toString("hex"), await instanceId(paths)];
    const startedAt = isoTime(deps.clock.now());
    const state: MoveState = { id, phase: "copying", from: { url }, to, startedAt };
    return await moveLocked(deps, { state, instance, pause: null });
  } finally {
    upgrade?.release();
    lock.release();
  }
}
