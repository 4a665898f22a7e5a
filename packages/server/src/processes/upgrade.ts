import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { backUp } from "../features/backup/backup.ts";
import type { UpgradeCommandDependencies } from "../features/upgrade/cli.ts";
import type { LocalSite } from "../features/upgrade/check-pages.ts";
import { ownCommand } from "../features/upgrade/programs.ts";
import { reasonOf } from "../features/upgrade/switch.ts";
import { findSource } from "../features/upgrade/sources.ts";
import {
  tryBackup,
  tryDatabase,
  type TrialDependencies,
  type TrialMode,
} from "../features/upgrade/trial.ts";
import { type UpgradeDependencies, upgradeInstance } from "../features/upgrade/upgrade.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { pendingMigrations } from "../platform/db/migrate.ts";
import { nodeBinary, platformRoot } from "../platform/paths.ts";
import { killTree } from "../platform/process-tree.ts";
import { programVersion } from "../platform/version.ts";
import { supervisedMetrics } from "./metrics.ts";
import { programOf } from "./process-specs.ts";
import { finishOwnUpgrade } from "./serve-instance.ts";

/** How long a new version may take to start, in ms. */
const startTimeoutMs = 120_000;
const stopTimeoutMs = 15_000;
const maxLogBytes = 64 * 1024;

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** The message of the last line that a process logged, which says why it ended. */
function lastMessage(log: string): string {
  const line = log.trim().split("\n").at(-1) ?? "";
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === "string" ? msg : line;
  } catch {
    return line;
  }
}

/**
 * Starts a part of this program, which binds no port for metrics; resolves when it serves, throws `unavailable` if it
 * ends.
 */
async function startPart(
  name: "web" | "runner",
  { env, mode, signal }: { env: Environment; mode: TrialMode; signal: AbortSignal },
): Promise<ChildProcess> {
  const child = spawn(nodeBinary, [programOf(name), supervisedMetrics, `--trial=${mode}`], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-maxLogBytes);
    });
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)]);
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  const failed = (why: string) =>
    reject(new AppError("unavailable", `The new version's ${name} doesn't start: ${why}`));
  child.on("message", (message) => message === "ready" && resolve(child));
  child.once("error", (error) => failed(error.message));
  child.once("close", (code) => failed(lastMessage(log) || `it ended with ${code}.`));
  const onAbort = () => {
    child.kill("SIGKILL");
    failed("it takes too long.");
  };
  limit.addEventListener("abort", onAbort, { once: true });
  try {
    return await promise;
  } finally {
    limit.removeEventListener("abort", onAbort);
  }
}

async function stopPart(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => {
    if (child.pid !== undefined) killTree(child.pid, "SIGKILL");
  }, stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}

/** Serves a trial instance with web and runner, which send nothing and start no work. */
async function serveTrial(
  given: Environment,
  mode: TrialMode,
  signal: AbortSignal,
): Promise<{ site: LocalSite; close(): Promise<void> }> {
  const [port = 0, runnerPort = 0] = await freePorts(2);
  const ports = { HOST: "127.0.0.1", PORT: String(port), RUNNER_PORT: String(runnerPort) };
  const env = { ...given, ...ports };
  const { host } = new URL(loadConfig(env).baseUrl);
  const started: ChildProcess[] = [];
  const close = async () => void (await Promise.all(started.map(stopPart)));
  try {
    for (const name of ["runner", "web"] as const) {
      started.push(await startPart(name, { env, mode, signal }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { site: { address: `127.0.0.1:${port}`, host }, close };
}

export interface UpgradeWiring {
  environment(): Environment;
  config(): Promise<Config>;
  onProgress(line: string): void;
  /** Calls `listener` when the user interrupts a command; returns what unregisters it. */
  onInterrupt(listener: () => void): () => void;
}

/** A signal that aborts when the user interrupts the command or `stdin` ends. */
async function untilInterrupted<T>(
  { onInterrupt }: Pick<UpgradeWiring, "onInterrupt">,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stop = () => ending.abort(new AppError("unavailable", "It was stopped."));
  const takeBack = onInterrupt(stop);
  try {
    return await task(ending.signal);
  } finally {
    takeBack();
  }
}

/** Runs a trial that ends when the version that runs it does, which closes its stdin. */
async function runTrial<T>(
  wiring: UpgradeWiring,
  task: (deps: TrialDependencies) => Promise<T>,
): Promise<T> {
  const { environment, onProgress } = wiring;
  return untilInterrupted(wiring, async (signal) => {
    const orphaned = new AbortController();
    const stop = () => orphaned.abort(new AppError("unavailable", "It was stopped."));
    process.stdin.on("end", stop).on("error", stop).resume();
    const both = AbortSignal.any([signal, orphaned.signal]);
    try {
      return await task({
        clock: systemClock,
        signal: both,
        env: environment(),
        serve: (env, mode) => serveTrial(env, mode, both),
        onProgress,
      });
    } catch (error) {
      // What is unexpected is what trials are for: the owner gets to know it.
      throw new AppError("unavailable", reasonOf(error), { cause: error });
    } finally {
      process.stdin.off("end", stop).pause();
      process.stdin.destroy();
    }
  });
}

interface OpenOptions {
  env: Environment;
  source: UpgradeDependencies["source"];
  signal: AbortSignal;
  onProgress(line: string): void;
}

function upgradeDependencies(config: Config, options: OpenOptions): UpgradeDependencies {
  const { env, source, signal, onProgress } = options;
  const version = programVersion();
  return {
    config,
    own: { version, command: ownCommand(platformRoot) },
    clock: systemClock,
    env,
    signal,
    source,
    async backUp(file) {
      const quiet = { onProgress() {} };
      await backUp({
        config,
        version,
        clock: systemClock,
        signal,
        to: file,
        force: true,
        ...quiet,
      });
    },
    onProgress,
  };
}

/** Wires together what `upgrade` and the commands of trials need. */
export function makeUpgradeDependencies(wiring: UpgradeWiring): UpgradeCommandDependencies {
  const { environment } = wiring;
  return {
    version: programVersion(),
    config: wiring.config,
    onProgress: wiring.onProgress,
    untilInterrupted: (task) => untilInterrupted(wiring, task),
    async openUpgrade(config, { from, signal, onProgress }) {
      const { paths } = config;
      const source = await findSource({
        root: platformRoot,
        from,
        paths,
        env: environment(),
        signal,
      });
      return upgradeDependencies(config, { env: environment(), source, signal, onProgress });
    },
    tryBackup: (config, file) =>
      runTrial(wiring, (deps) =>
        tryBackup(deps, config, { file, databaseUrl: config.databaseUrl }),
      ),
    tryDatabase: (config, file) =>
      runTrial(wiring, (deps) =>
        tryDatabase(deps, config, {
          file,
          databaseUrl: file === null ? config.databaseUrl : null,
        }),
      ),
    finish: finishOwnUpgrade,
  };
}

/**
 * Upgrades the instance of an older version to this program, with the same trials as `upgrade`;
 * does nothing if its database is this program's. Throws with the reason if this version doesn't
 * work on it, and then nothing has changed.
 */
export async function upgradeOlderInstance(config: Config, env: Environment): Promise<void> {
  const database = openDatabase({ url: config.databaseUrl, file: config.paths.database });
  let pending: string[];
  try {
    pending = await pendingMigrations(database);
  } finally {
    await database.close();
  }
  if (pending.length === 0) return;
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const { signal } = new AbortController();
  const deps = upgradeDependencies(config, { env, source: null, signal, onProgress });
  const state = await upgradeInstance(deps, deps.own.version, { to: null, withoutTrial: false });
  if (state.phase !== "failed") return;
  const message = `Version ${deps.own.version} doesn't work on this instance, and nothing has changed. ${state.step}: ${state.reason}`;
  throw new AppError("unavailable", message);
}
