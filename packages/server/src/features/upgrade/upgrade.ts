import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { compareVersions, isVersion } from "../../kit/versions.ts";
import type { Config, Environment } from "../../platform/config.ts";
import { removeTree } from "../../platform/files.ts";
import { acquireLock, lockState } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { failUpgrade, resolveUpgrade, switchLock, upgradeLock } from "./commit.ts";
import { makeLiveTrial } from "./live-trial.ts";
import { commandOf } from "./programs.ts";
import { runProgram } from "./run-program.ts";
import { fetchProgram, type ProgramSource } from "./sources.ts";
import { readState, type UpgradeState, writeState } from "./state.ts";
import { reasonOf, switchProgram } from "./switch.ts";

/** How often the command checks on the supervisor's switch, in ms. */
const pollMs = 200;
/** How long to wait for the new version's supervisor, in ms. */
const maxStartMs = 60_000;

export interface UpgradeDependencies {
  config: Pick<Config, "dir" | "paths" | "databaseUrl">;
  /** The running program's version and command. */
  own: { version: string; command: string };
  clock: Clock;
  env: Environment;
  signal: AbortSignal;
  /** Null if the running program is the new one, on an instance of an older one. */
  source: ProgramSource | null;
  backUp(file: string): Promise<void>;
  onProgress(line: string): void;
}

export interface UpgradeOptions {
  /** The version; null for the newest. */
  to: string | null;
  /** Whether to upgrade PostgreSQL without trying the new version on a copy of the database. */
  withoutTrial: boolean;
}

/** The folder of the backups that upgrades make. */
export const backupsFolder = ({ dir }: Pick<InstancePaths, "dir">) => join(dir, "backups");

/** The version to upgrade to; null if there is no newer one. */
export async function findNewerVersion(
  { source, own }: Pick<UpgradeDependencies, "source" | "own">,
  to: string | null = null,
): Promise<string | null> {
  if (source === null) return own.version;
  if (to !== null && !isVersion(to)) {
    throw new AppError("bad_request", `${to} isn't a version such as 1.2.0.`);
  }
  const newest = source.kind === "folder" || to === null ? await source.newest() : to;
  if (newest === null && source.kind === "image") await source.fetchInto("", "");
  if (source.kind === "folder" && newest === null) {
    throw new AppError("bad_request", "The folder's package.json has no version.");
  }
  if (source.kind === "folder" && to !== null && to !== newest) {
    throw new AppError("bad_request", `The folder has version ${newest}, not ${to}.`);
  }
  const isNewer = newest !== null && compareVersions(newest, own.version) > 0;
  if (!isNewer && to !== null) {
    throw new AppError("bad_request", `${to} isn't newer than ${own.version}.`);
  }
  return isNewer ? newest : null;
}

/** Backs up to a file with the version's name; only the last upgrade's backup stays. */
async function backUp({ config, backUp: write }: UpgradeDependencies, to: string): Promise<string> {
  const folder = backupsFolder(config.paths);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `before-${to}.tar.gz`;
  const file = join(folder, name);
  await write(file);
  for (const other of await readdir(folder)) {
    if (/^before-.*\.tar\.gz$/.test(other) && other !== name) await removeTree(join(folder, other));
  }
  return file;
}

/** Has the new program try itself on the restored backup. */
async function tryBackup(
  { config, env, signal }: UpgradeDependencies,
  command: string,
  backup: string,
): Promise<void> {
  const { dir, paths, databaseUrl } = config;
  const args = ["--dir", dir, "upgrade-trial", "--backup", backup];
  const trial = (url: string) =>
    runProgram(command, args, { env: { ...env, DATABASE_URL: url }, signal });
  if (databaseUrl === null) {
    await trial("");
    return;
  }
  const { withScratchDatabase } = await import("./scratch-database.ts");
  await withScratchDatabase(paths, databaseUrl, trial);
}

const serves = ({ config }: UpgradeDependencies) =>
  lockState(config.paths.supervisorLock) === "held";

/** Fails an upgrade that no supervisor switches anymore; null if one has begun to after all. */
async function failAbandoned(deps: UpgradeDependencies): Promise<UpgradeState | null> {
  const { paths } = deps.config;
  const lock = acquireLock(switchLock(paths));
  if (lock === null) return null;
  try {
    const state = await readState(paths);
    if (state?.phase !== "ready" && state?.phase !== "switching") return null;
    const reason = "Vitrine was stopped before it could switch.";
    return await failUpgrade(paths, state, { reason, now: deps.clock.now() });
  } finally {
    lock.release();
  }
}

/**
 * Waits until the supervisor has switched and the new version's one has started. If that takes long,
 * the state stays `committed`.
 */
async function waitForSupervisor(deps: UpgradeDependencies): Promise<UpgradeState> {
  const { config, signal } = deps;
  let servedAt = performance.now();
  for (;;) {
    const state = await readState(config.paths);
    if (state === null) throw new AppError("internal", "The upgrade's state is gone.");
    if (state.phase === "done" || state.phase === "failed") return state;
    if (serves(deps)) servedAt = performance.now();
    else if (state.phase !== "committed") {
      const failed = await failAbandoned(deps);
      if (failed !== null) return failed;
    } else if (performance.now() - servedAt > maxStartMs) return state;
    await delay(pollMs, undefined, { signal });
  }
}

/** Switches without a supervisor: nothing is served. */
async function switchHere(
  deps: UpgradeDependencies,
  state: UpgradeState,
  { command, withoutTrial }: { command: string; withoutTrial: boolean },
): Promise<UpgradeState> {
  const { config, env, signal, clock } = deps;
  const switched = await switchProgram(
    {
      paths: config.paths,
      now: () => clock.now(),
      trial: makeLiveTrial({ config, command, env, signal, withoutTrial }),
      stop: async () => {},
      resume() {},
    },
    state,
  );
  if (switched.phase !== "committed") return switched;
  await runProgram(command, ["--dir", config.dir, "upgrade-finish"], { env, signal });
  return (await readState(config.paths)) ?? switched;
}

/** Backup, new program, and trial: nothing of the instance changes. */
async function prepare(
  deps: UpgradeDependencies,
  begun: UpgradeState,
  withoutTrial: boolean,
): Promise<UpgradeState> {
  const { config, own, source, signal, onProgress } = deps;
  const to = begun.to ?? own.version;
  let state = begun;
  const step = async (text: string, change: Partial<UpgradeState> = {}) => {
    signal.throwIfAborted();
    onProgress(text);
    state = await writeState(config.paths, { ...state, ...change, step: text });
  };
  await step("Backing up");
  const backup = await backUp(deps, to);
  let { command } = own;
  if (source !== null) {
    await step(`Fetching version ${to}`, { backup });
    command = commandOf(await fetchProgram(source, config.paths, to));
  }
  await step("Trying the new version on the backup", { backup });
  if (!withoutTrial || config.databaseUrl === null) await tryBackup(deps, command, backup);
  await step("Waiting for the switch", { phase: "ready", withoutTrial });
  return state;
}

async function upgradeLocked(
  deps: UpgradeDependencies,
  to: string,
  { withoutTrial }: UpgradeOptions,
): Promise<UpgradeState> {
  const { config, own, clock, source } = deps;
  const { paths } = config;
  let state = await writeState(paths, {
    from: own.version,
    to,
    isFetched: source !== null,
    withoutTrial,
    phase: "preparing",
    step: "Starting",
    reason: null,
    backup: null,
    startedAt: isoTime(clock.now()),
    finishedAt: null,
  });
  try {
    state = await prepare(deps, state, withoutTrial);
  } catch (error) {
    const current = (await readState(paths)) ?? state;
    return failUpgrade(paths, current, { reason: reasonOf(error), now: clock.now() });
  }
  deps.onProgress(`Switching to version ${to}`);
  if (serves(deps)) return waitForSupervisor(deps);
  const command = source === null ? own.command : commandOf(join(paths.programs, to));
  return switchHere(deps, state, { command, withoutTrial });
}

/**
 * Upgrades an instance: backup, new program beside the old one, trial on the backup, then the
 * switch, which its supervisor does if it is running. Returns the state: `done`, `committed` if the
 * new version is only about to start, or `failed` with the reason, and then nothing has changed.
 * Throws `locked` if an upgrade is running, `forbidden` for another user than the instance's.
 */
export async function upgradeInstance(
  deps: UpgradeDependencies,
  to: string,
  options: UpgradeOptions,
): Promise<UpgradeState> {
  const { config, clock } = deps;
  const { paths } = config;
  await assertOwner(paths);
  await mkdir(paths.upgrade, { recursive: true, mode: 0o700 });
  const lock = acquireLock(upgradeLock(paths));
  const isRunning = async () => {
    const state = await readState(paths);
    const isSwitched = ["ready", "switching", "committed"].includes(state?.phase ?? "");
    return isSwitched && serves(deps);
  };
  if (lock === null || (await isRunning())) {
    lock?.release();
    throw new AppError("locked", "Another upgrade of this instance is running.");
  }
  try {
    if (deps.source === null && serves(deps)) {
      throw new AppError("in_use", "Stop the version that serves this instance first.");
    }
    if (!serves(deps)) await resolveHere(paths, clock.now());
    return await upgradeLocked(deps, to, options);
  } finally {
    lock.release();
  }
}

/** Throws `forbidden` for another user, root among them, whose files the instance couldn't use. */
async function assertOwner({ data }: InstancePaths): Promise<void> {
  const { uid } = await stat(data);
  if (uid === process.getuid?.()) return;
  throw new AppError("forbidden", "Run this as the user that owns the instance's folder.");
}

/** Resolves what an interrupted upgrade left, while this process holds the upgrade's lock. */
async function resolveHere(paths: InstancePaths, now: number): Promise<void> {
  const state = await resolveUpgrade(paths, now);
  if (state?.phase !== "committed") return;
  const message = `The upgrade to ${state.to} isn't complete. Start Vitrine to complete it.`;
  throw new AppError("locked", message);
}
