import { dirname, extname, join } from "node:path";
import { type Config, type Environment, logFileOf } from "../platform/config.ts";
import { type InstancePaths, nodeBinary } from "../platform/paths.ts";
import { openCompileCache } from "./compile-cache.ts";
import type { FrontProcessSettings } from "./front-server.ts";
import { inheritedDescriptor, type SharedPort } from "./shared-port.ts";
import type { ProcessSpec } from "./supervisor.ts";
import type { WebSocketFile } from "./web-socket.ts";

/** The file that a process of this name runs: beside this module, or beside the bundle with it. */
export const programOf = (name: string) =>
  join(import.meta.dirname, name + extname(import.meta.filename));

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

/** Web and the runner. */
export function servingProcesses(inherited: Environment): Record<"web" | "runner", ProcessSpec> {
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
export function compileCacheOf(env: Environment, paths: InstancePaths): Environment {
  const folder = env["NODE_COMPILE_CACHE"] ?? openCompileCache(paths);
  return folder === null ? {} : { NODE_COMPILE_CACHE: folder };
}

/** The front's environment, without secrets. */
function frontEnvironment(env: Environment, { paths }: Config): Environment {
  return { ...allocation, ...compileCacheOf(env, paths) };
}

/** The port that the front serves, and the socket behind it. */
export interface FrontEndpoint {
  port: SharedPort;
  socket: WebSocketFile;
}

/** Where the front asks the process that knows further sites: next to web's socket. */
function sitesSocket({ port }: Config, { socket }: FrontEndpoint): string {
  return join(dirname(socket.path), `sites-${port}.sock`);
}

/** What knows further sites and runs those that are in use. */
export function sitesProcess(
  config: Config,
  inherited: Environment,
  endpoint: FrontEndpoint,
): ProcessSpec {
  return {
    name: "sites",
    command: nodeBinary,
    args: [youngGeneration(4), programOf("sites"), `--socket=${sitesSocket(config, endpoint)}`],
    env: { ...allocation, ...inherited },
  };
}

/** The front, which serves the shared port. */
export function frontProcess(
  config: Config,
  env: Environment,
  endpoint: FrontEndpoint,
): ProcessSpec {
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
    sites: { folder: paths.sites, socket: sitesSocket(config, endpoint) },
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
