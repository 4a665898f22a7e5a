import { existsSync, mkdirSync, watch } from "node:fs";
import { holdForMove } from "../features/database-move/hold.ts";
import { type MoveState, readMoveState } from "../features/database-move/state.ts";
import { makeLiveTrial } from "../features/upgrade/live-trial.ts";
import { commandOf } from "../features/upgrade/programs.ts";
import { readState, type UpgradeState } from "../features/upgrade/state.ts";
import { switchProgram } from "../features/upgrade/switch.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { chooseDatabase } from "../platform/active-database.ts";
import type { Config, Environment } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";
import {
  type ProcessSpec,
  supervise,
  type SupervisedProcess,
  type Supervisor,
} from "./supervisor.ts";

/** How often to look for a change if the folder can't be watched, in ms. */
const watchPollMs = 5000;

/** Calls `onChange` now and when a folder changes, never twice at once. */
function watchFolder(folder: string, onChange: () => Promise<void>): () => void {
  let isBusy = false;
  let hasChanged = false;
  const look = async () => {
    hasChanged = true;
    if (isBusy) return;
    isBusy = true;
    try {
      // What changes while the state is read may be what is waited for.
      while (hasChanged) {
        hasChanged = false;
        await onChange();
      }
    } finally {
      isBusy = false;
    }
  };
  const lookNow = () => void look().catch(() => {});
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const watcher = watch(folder, lookNow);
    watcher.on("error", () => {});
    lookNow();
    return () => watcher.close();
  } catch {
    const timer = setInterval(lookNow, watchPollMs);
    return () => clearInterval(timer);
  }
}

export interface SupervisionOptions {
  config: Pick<Config, "dir" | "paths">;
  /** The environment of new programs. */
  env: Environment;
  log: Log;
  /** What goes on during a switch: the front, if there is one. */
  front: ProcessSpec | null;
  /** Everything that writes. */
  servers: readonly ProcessSpec[];
  /** What knows the further sites, if there are any now or later; null where they can't be served. */
  sites: ProcessSpec | null;
  onReady: (() => void) | undefined;
  /** Gets each line that a process writes to stderr; otherwise, it goes to ours. */
  onOutput?: (line: string) => void;
}

/** Front, web, and runner, until they are stopped or another program takes over. */
export interface Supervision {
  processes(): SupervisedProcess[];
  stop(): void;
  ended: Promise<{ exitCode: number; isSwitched: boolean }>;
}

/** Calls `onReady` once both the front, if any, and the others are ready for the first time. */
function readiness(parts: number, onReady: (() => void) | undefined): () => void {
  let left = parts;
  return () => {
    left -= 1;
    if (left === 0) onReady?.();
  };
}

/** Processes that can be stopped for a while. */
interface PausableProcesses {
  pause(): Promise<void>;
  resume(): void;
  isPaused(): boolean;
  processes(): SupervisedProcess[];
  stop(): Promise<unknown>;
}

/** How often to look for further sites if the folder can't be watched, in ms. */
const sitesPollMs = 5000;

/** Calls `onFound` once, when there are further sites. Returns a function that stops looking. */
function watchForSites({ dir, sites }: InstancePaths, onFound: () => void): () => void {
  let isFound = false;
  const look = () => {
    if (isFound || !existsSync(sites)) return;
    isFound = true;
    close();
    onFound();
  };
  let close = () => {};
  try {
    const watcher = watch(dir, look);
    watcher.on("error", () => {});
    close = () => watcher.close();
  } catch {
    const timer = setInterval(look, sitesPollMs);
    close = () => clearInterval(timer);
  }
  look();
  return close;
}

/** Supervises what knows further sites as soon as there are any. A fault of it ends nothing else. */
function superviseSites({ config, sites, log, onOutput }: SupervisionOptions) {
  let running: Supervisor | null = null;
  const unwatch =
    sites === null
      ? () => {}
      : watchForSites(config.paths, () => {
          running = supervise({ processes: [sites], log, ...(onOutput && { onOutput }) });
        });
  return {
    processes: () => running?.processes() ?? [],
    async stop() {
      unwatch();
      running?.stop();
      await running?.ended;
    },
  };
}

/** Supervises what writes. `onEnd` is called when it ends, except for a pause. */
function superviseServers(
  { servers, log, onOutput }: SupervisionOptions,
  onReady: () => void,
  onEnd: (exitCode: number) => void,
): PausableProcesses {
  let isPaused = false;
  const start = (): Supervisor => {
    const started = supervise({
      processes: servers,
      log,
      onReady,
      ...(onOutput && { onOutput }),
    });
    void started.ended.then((code) => isPaused || onEnd(code));
    return started;
  };
  let running = start();
  return {
    isPaused: () => isPaused,
    processes: () => running.processes(),
    async pause() {
      isPaused = true;
      running.stop();
      await running.ended;
    },
    resume() {
      isPaused = false;
      running = start();
    },
    stop() {
      running.stop();
      return running.ended;
    },
  };
}

/** Calls `onReady` with an upgrade that is ready to be switched, now or later. */
function watchUpgrades(
  paths: InstancePaths,
  onReady: (state: UpgradeState) => Promise<void>,
): () => void {
  return watchFolder(paths.upgrade, async () => {
    const state = await readState(paths);
    if (state?.phase === "ready") await onReady(state);
  });
}

/** Calls `onReady` with a move to another database that needs a pause, now or later. */
function watchMoves(
  paths: InstancePaths,
  onReady: (state: MoveState) => Promise<void>,
): () => void {
  return watchFolder(paths.databaseMove, async () => {
    const state = readMoveState(paths);
    if (state?.phase === "ready") await onReady(state);
  });
}

/** DATABASE_URL of the processes. */
const givenUrl = (env: Environment) => env["DATABASE_URL"] || null;

/** Has the new program try the current data while `servers` pause. Returns whether it took over. */
async function switchTo(
  state: UpgradeState,
  { config, env, log }: SupervisionOptions,
  { servers, signal }: { servers: PausableProcesses; signal: AbortSignal },
): Promise<boolean> {
  log.info({ from: state.from, to: state.to }, "switching to another version");
  const { dir, paths } = config;
  // The records may have been moved since this process has started.
  const { databaseUrl } = chooseDatabase(paths, givenUrl(env));
  const { withoutTrial } = state;
  const command = commandOf(`${paths.programs}/${state.to}`);
  const switched = await switchProgram(
    {
      paths,
      now: () => systemClock.now(),
      trial: makeLiveTrial({
        config: { dir, paths, databaseUrl },
        command,
        env,
        signal,
        withoutTrial,
      }),
      stop: servers.pause,
      resume() {
        if (!signal.aborted) servers.resume();
      },
    },
    state,
  );
  const { phase, reason } = switched;
  if (phase === "failed") log.error({ reason }, "the new version failed: the one before is back");
  return phase === "committed";
}

/**
 * Supervises the processes of an instance, and switches to another program when an upgrade is
 * ready: then it ends.
 */
export function superviseInstance(options: SupervisionOptions): Supervision {
  const { config, log } = options;
  const isReady = readiness(options.front === null ? 1 : 2, options.onReady);
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const ending = new AbortController();
  const { signal } = ending;
  let isSwitched = false;
  let isStopped = false;
  let exitCode = 0;
  let switching: Promise<unknown> = Promise.resolve();
  const end = (code: number) => {
    exitCode ||= code;
    if (signal.aborted) return;
    ending.abort(new AppError("unavailable", "Vitrine was stopped."));
    unwatch();
    unwatchMoves();
    front?.stop();
    void Promise.allSettled([front?.ended, servers.stop(), sites.stop(), switching]).then(() =>
      resolve(exitCode),
    );
  };
  const servers = superviseServers(options, isReady, end);
  const { onOutput } = options;
  const output = onOutput && { onOutput };
  const front =
    options.front && supervise({ processes: [options.front], log, onReady: isReady, ...output });
  const sites = superviseSites(options);
  const unwatch = watchUpgrades(config.paths, async (state) => {
    if (signal.aborted) return;
    const switched = switchTo(state, options, { servers, signal });
    switching = switched;
    try {
      isSwitched = await switched;
      if (isSwitched) end(0);
    } catch (error) {
      log.error({ err: error }, "the upgrade can't be completed now");
      // It is committed: the next start completes it.
      if (servers.isPaused()) end(1);
    }
  });
  const unwatchMoves = watchMoves(config.paths, async (state) => {
    // Both would stop and start the same processes.
    await switching.catch(() => {});
    if (signal.aborted || isSwitched) return;
    const { paths } = config;
    const { pause, resume } = servers;
    const given = givenUrl(options.env);
    switching = holdForMove({ paths, given, pause, resume, signal, log }, state);
    await switching;
  });
  void front?.ended.then(end);
  return {
    processes: () => [...(front?.processes() ?? []), ...servers.processes(), ...sites.processes()],
    stop() {
      isStopped = true;
      end(0);
    },
    ended: ended.then((code) => ({ exitCode: code, isSwitched: isSwitched && !isStopped })),
  };
}
