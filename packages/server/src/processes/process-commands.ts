import { join } from "node:path";
import type { Command } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { type Config, type Environment, loadConfig, logFileOf } from "../platform/config.ts";
import { createLog, type Log } from "../platform/log.ts";
import { type InstancePaths, nodeBinary, programFile } from "../platform/paths.ts";
import { openCompileCache } from "./compile-cache.ts";
import type { FrontProcessSettings } from "./front-server.ts";
import { logDestination } from "./log-destinations.ts";
import { serveSupervisedMetrics, supervisedMetrics } from "./metrics.ts";
import { metricsAddress, type MetricsServer } from "./metrics-server.ts";
import { reportFailedStart } from "./run-process.ts";
import { bindSharedPort, inheritedDescriptor, type SharedPort } from "./shared-port.ts";
import { type ProcessSpec, supervise, type Supervisor } from "./supervisor.ts";
import { makeWebSocketFile, type WebSocketFile } from "./web-socket.ts";

const programOf = (name: string) => programFile(join(import.meta.dirname, `${name}.ts`));

/**
 * The runner's lower priority, with builds, QA runs, and the agent, so that visitors come first.
 */
const runnerNiceness = 5;

/**
 * Makes glibc return large blocks immediately. By default, once up to 19 MiB (a password's hash)
 * has been freed, it keeps such blocks in an arena for each thread: twice the memory in use. See
 * mallopt(3). Other C libraries ignore it.
 */
const allocation = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** With this limit in MiB, garbage is collected in short pauses, and the size stays constant. */
const youngGeneration = (semiSpaceMiB: number) => `--max-semi-space-size=${semiSpaceMiB}`;

function servingProcesses(inherited: Environment): Record<"web" | "runner", ProcessSpec> {
  const env = { ...allocation, ...inherited };
  const make = (name: string) => ({
    name,
    command: nodeBinary,
    args: [youngGeneration(8), programOf(name)],
    env,
  });
  return { web: make("web"), runner: { ...make("runner"), niceness: runnerNiceness } };
}

/** Web, which serves its port itself, and the runner. */
export function instanceProcesses(env: Environment): ProcessSpec[] {
  const { web, runner } = servingProcesses(env);
  return [web, runner];
}

/** Where a process finds and stores the program's compiled code. */
function compileCacheOf(env: Environment, paths: InstancePaths): Environment {
  const folder = env["NODE_COMPILE_CACHE"] ?? openCompileCache(paths);
  return folder === null ? {} : { NODE_COMPILE_CACHE: folder };
}

/** The front's environment, without secrets. */
function frontEnvironment(env: Environment, { paths }: Config): Environment {
  return { ...allocation, ...compileCacheOf(env, paths) };
}

function frontProcess(config: Config, env: Environment, endpoint: FrontEndpoint): ProcessSpec {
  const { baseUrl, trustedIps, trustProxy, logLevel, paths } = config;
  const { current, releases } = paths;
  const settings: FrontProcessSettings = {
    baseUrl,
    trustedIps,
    trustProxy,
    logLevel,
    logFile: logFileOf(config),
    paths: { current, releases },
    webSocket: endpoint.socket.path,
  };
  return {
    name: "front",
    command: nodeBinary,
    args: [
      youngGeneration(4),
      programOf("front"),
      `--descriptor=${inheritedDescriptor}`,
      JSON.stringify(settings),
    ],
    env: frontEnvironment(env, config),
    descriptor: endpoint.port.descriptor,
    // Clients wait in the port's queue, so it is worth restarting immediately.
    stableMs: 5000,
  };
}

/** The port that the front serves, and the socket behind it. */
interface FrontEndpoint {
  port: SharedPort;
  socket: WebSocketFile;
}

/**
 * Null if this machine can't share a port or has no Unix sockets: web then serves the port itself.
 */
async function openFrontEndpoint({ host, port, paths }: Config): Promise<FrontEndpoint | null> {
  const shared = await bindSharedPort(host, port);
  if (shared === null) return null;
  const socket = await makeWebSocketFile(paths.data, port);
  if (socket !== null) return { port: shared, socket };
  shared.close();
  return null;
}

/** All processes: with a front, web serves behind it. */
function allProcesses(
  config: Config,
  env: Environment,
  endpoint: FrontEndpoint | null,
): ProcessSpec[] {
  const { web, runner } = servingProcesses(env);
  if (endpoint === null) return [web, runner];
  const args = [...web.args, `--socket=${endpoint.socket.path}`];
  return [frontProcess(config, env, endpoint), { ...web, args }, runner];
}

/** Has processes give their metrics to the supervisor; the settings of the front are its last argument. */
function withMetrics(spec: ProcessSpec): ProcessSpec {
  const at = spec.args.indexOf(programOf(spec.name)) + 1;
  return { ...spec, args: spec.args.toSpliced(at, 0, supervisedMetrics) };
}

/** What is bound before the processes start. */
interface Endpoints {
  front: FrontEndpoint | null;
  metrics: MetricsServer | null;
}

/** Binds the ports. Throws if one can't be had, and then none is bound. */
async function openEndpoints(
  config: Config,
  log: Log,
  supervisor: () => Supervisor | null,
): Promise<Endpoints> {
  const address = metricsAddress(config);
  const metrics = address && (await serveSupervisedMetrics(address, supervisor, log));
  try {
    return { metrics, front: await openFrontEndpoint(config) };
  } catch (error) {
    await metrics?.close();
    throw error;
  }
}

/**
 * Runs front, web, and runner until SIGTERM or SIGINT has ended them. Returns the exit code.
 * `onReady` is called once all are serving.
 */
export async function serveInstance(
  config: Config,
  env: Environment,
  onReady?: () => void,
): Promise<number> {
  const destination = logDestination(config);
  const log = createLog({
    level: config.logLevel,
    name: "supervisor",
    ...(destination && { destination }),
  });
  const inherited = {
    ...env,
    ...compileCacheOf(env, config.paths),
    VITRINE_DIR: config.dir,
  };
  let supervisor: Supervisor | null = null;
  let endpoints: Endpoints;
  try {
    endpoints = await openEndpoints(config, log, () => supervisor);
  } catch (error) {
    return reportFailedStart(log, error);
  }
  const { front, metrics } = endpoints;
  const processes = allProcesses(config, inherited, front);
  const running = supervise({
    processes: metrics === null ? processes : processes.map(withMetrics),
    log,
    ...(onReady ? { onReady } : {}),
    // Why a process couldn't start, or has crashed, belongs to the rest.
    ...(destination && { onOutput: (line: string) => void destination.write(line) }),
  });
  supervisor = running;
  const stop = () => running.stop();
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  try {
    return await running.ended;
  } finally {
    await metrics?.close();
    front?.port.close();
    await front?.socket.remove();
    process.off("SIGTERM", stop);
    process.off("SIGINT", stop);
  }
}

/** The commands that serve an instance. */
export const processCommands = ["start", "web", "runner"] as const;

/**
 * Registers `start`, `web`, and `runner`, which serve until they are stopped and print no result.
 */
export function registerProcessCommands(
  program: Command,
  environment: () => Environment,
  session: { exitCode: number },
): void {
  program
    .command("start")
    .description("run the front, web and runner processes and restart any that end")
    .action(async () => {
      const config = loadConfig(environment());
      await assertInstalled(config.paths);
      session.exitCode = await serveInstance(config, environment());
    });
  for (const name of ["web", "runner"]) {
    program
      .command(name)
      .description(`run only the ${name} process`)
      .action(async () => {
        const config = loadConfig(environment());
        await assertInstalled(config.paths);
        process.env["VITRINE_DIR"] = config.dir;
        await import(programOf(name));
      });
  }
}
