import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { finishUpgrade } from "../features/upgrade/commit.ts";
import { readState } from "../features/upgrade/state.ts";
import { systemClock } from "../kit/clock.ts";
import { collectGarbage } from "../platform/collect-garbage.ts";
import type { Config, Environment } from "../platform/config.ts";
import { acquireLock, type HeldLock } from "../platform/lock.ts";
import { createLog, type Log } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";
import { findNewerProgram } from "./hand-over.ts";
import { logDestination } from "./log-destinations.ts";
import { serveSupervisedMetrics, supervisedMetrics } from "./metrics.ts";
import { metricsAddress, type MetricsServer } from "./metrics-server.ts";
import {
  compileCacheOf,
  type FrontEndpoint,
  frontProcess,
  programOf,
  servingProcesses,
  sitesProcess,
} from "./process-specs.ts";
import { reportFailedStart } from "./run-process.ts";
import { bindSharedPort, inheritedDescriptor } from "./shared-port.ts";
import {
  superviseInstance,
  type Supervision,
  type SupervisionOptions,
} from "./supervise-instance.ts";
import type { ProcessSpec } from "./supervisor.ts";
import { makeWebSocketFile } from "./web-socket.ts";

/** How long to wait for the supervisor before this one, in ms, and how often to look. */
const lockTimeoutMs = 5000;
const lockPollMs = 50;
/** The exit code of a supervisor that has switched, for its parent, which keeps the port. */
const switchedExitCode = 76;

export interface ServeOptions {
  /** Called once all processes are serving. */
  onReady?(): void;
  /** Whether the parent process has bound the port, which is descriptor 4 here. */
  isInherited?: boolean;
}

/**
 * Null if this machine can't share a port or has no Unix sockets: web then serves the port itself.
 */
async function openFrontEndpoint(
  { host, port, paths }: Config,
  { isInherited = false }: ServeOptions,
): Promise<FrontEndpoint | null> {
  const shared = isInherited
    ? { descriptor: inheritedDescriptor, close() {} }
    : await bindSharedPort(host, port);
  if (shared === null) return null;
  const socket = await makeWebSocketFile(paths.data, port);
  if (socket !== null) return { port: shared, socket };
  shared.close();
  return null;
}

/** Migrates and ends an upgrade that was committed, as the program that it is to. */
export async function finishOwnUpgrade(
  config: Config,
): Promise<{ applied: string[]; finished: boolean }> {
  const { paths, databaseUrl: url } = config;
  const now = systemClock.now();
  const state = await readState(paths);
  if (state?.phase !== "committed") return { applied: [], finished: false };
  // Rarely needed, and large.
  const { openDatabase } = await import("../platform/db/connect.ts");
  const { migrate } = await import("../platform/db/migrate.ts");
  const database = openDatabase({ url, file: paths.database });
  let applied: string[];
  try {
    ({ applied } = await migrate({ database, now }));
  } finally {
    await database.close();
  }
  return { applied, finished: await finishUpgrade(paths, now) };
}

async function acquireSupervisorLock({ supervisorLock }: InstancePaths): Promise<HeldLock | null> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    const lock = acquireLock(supervisorLock);
    if (lock !== null || performance.now() > deadline) return lock;
    await delay(lockPollMs);
  }
}

/**
 * Runs the program that was switched to as a child that has the port, and the next one after it.
 * Forwards signals. Returns its exit code.
 */
async function runSuccessor(
  { dir, paths }: Config,
  endpoint: FrontEndpoint | null,
): Promise<number> {
  for (;;) {
    const program = findNewerProgram(paths);
    if (program === null) return 1;
    const own = endpoint === null ? [] : ["--inherited"];
    const descriptors = endpoint === null ? [] : [endpoint.port.descriptor];
    const child = spawn(program.command, ["--dir", dir, "start", ...own], {
      stdio: ["inherit", "inherit", "inherit", "ipc", ...descriptors],
    });
    let isStopped = false;
    const forward = (signal: NodeJS.Signals) => {
      isStopped = true;
      child.kill(signal);
    };
    process.on("SIGTERM", forward).on("SIGINT", forward);
    const code = await new Promise<number>((done) => {
      child.once("error", () => done(1));
      child.once("exit", (exitCode) => done(exitCode ?? 1));
    });
    process.off("SIGTERM", forward).off("SIGINT", forward);
    if (code !== switchedExitCode || isStopped) return code === switchedExitCode ? 0 : code;
  }
}

/** Has processes give their metrics to the supervisor; the settings of the front are its last argument. */
function withMetrics(spec: ProcessSpec): ProcessSpec {
  const at = spec.args.indexOf(programOf(spec.name)) + 1;
  return { ...spec, args: spec.args.toSpliced(at, 0, supervisedMetrics) };
}

/** Front, web, and runner; without a shared port, web serves it. */
function processesOf(
  config: Config,
  env: Environment,
  { front: endpoint, metrics }: Endpoints,
): Pick<SupervisionOptions, "front" | "servers" | "sites"> {
  const measured = metrics === null ? (spec: ProcessSpec) => spec : withMetrics;
  const { web, runner } = servingProcesses(env);
  if (endpoint === null) return { front: null, servers: [web, runner].map(measured), sites: null };
  const args = [...web.args, `--socket=${endpoint.socket.path}`];
  return {
    front: measured(frontProcess(config, env, endpoint)),
    servers: [{ ...web, args }, runner].map(measured),
    sites: measured(sitesProcess(config, env, endpoint)),
  };
}

/** What is bound before the processes start. */
interface Endpoints {
  front: FrontEndpoint | null;
  metrics: MetricsServer | null;
}

/** Binds the ports. Throws if one can't be had, and then none is bound. */
async function openEndpoints(
  config: Config,
  options: ServeOptions,
  { log, supervisor }: { log: Log; supervisor: () => Supervision | null },
): Promise<Endpoints> {
  const address = metricsAddress(config);
  const metrics = address && (await serveSupervisedMetrics(address, supervisor, log));
  try {
    return { metrics, front: await openFrontEndpoint(config, options) };
  } catch (error) {
    await metrics?.close();
    throw error;
  }
}

/** Waits until a supervision has ended, by a signal or because another program is to take over. */
async function untilEnded(
  supervision: Supervision,
): Promise<{ exitCode: number; isSwitched: boolean }> {
  const { stop } = supervision;
  process.on("SIGTERM", stop).on("SIGINT", stop);
  // The parent that has bound the port is gone.
  if (process.connected) process.on("disconnect", stop);
  try {
    return await supervision.ended;
  } finally {
    process.off("SIGTERM", stop).off("SIGINT", stop).off("disconnect", stop);
  }
}

/**
 * Runs front, web, and runner until SIGTERM or SIGINT has ended them, and switches to a newer
 * program when an upgrade is ready. Returns the exit code.
 */
export async function serveInstance(
  config: Config,
  env: Environment,
  options: ServeOptions = {},
): Promise<number> {
  const destination = logDestination(config);
  const { logLevel: level, paths } = config;
  const log = createLog({ level, name: "supervisor", ...(destination && { destination }) });
  if (config.isDatabaseUrlLeft) {
    log.warn("DATABASE_URL leads to a database that the records were moved from: it is ignored");
  }
  const inherited = { ...env, ...compileCacheOf(env, paths), VITRINE_DIR: config.dir };
  // Without it, upgrades can't tell that this instance is served, and fail as long as it is.
  const lock = await acquireSupervisorLock(paths);
  let supervision: Supervision | null = null;
  let endpoints: Endpoints;
  try {
    endpoints = await openEndpoints(config, options, { log, supervisor: () => supervision });
    await finishOwnUpgrade(config);
  } catch (error) {
    lock?.release();
    return reportFailedStart(log, error);
  }
  const { front, metrics } = endpoints;
  supervision = superviseInstance({
    config,
    env: inherited,
    log,
    onReady() {
      options.onReady?.();
      collectGarbage();
    },
    ...processesOf(config, inherited, endpoints),
    // Why a process couldn't start, or has crashed, belongs to the rest.
    ...(destination && { onOutput: (line: string) => void destination.write(line) }),
  });
  const { exitCode, isSwitched } = await untilEnded(supervision);
  await metrics?.close();
  await front?.socket.remove();
  lock?.release();
  if (process.connected) process.disconnect();
  if (options.isInherited) return isSwitched ? switchedExitCode : exitCode;
  try {
    return isSwitched ? await runSuccessor(config, front) : exitCode;
  } finally {
    front?.port.close();
  }
}
