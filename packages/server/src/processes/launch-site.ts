import { once } from "node:events";
import { glob, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { assertInstalled } from "../features/install/lock.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import type { LaunchedSite } from "./awake-sites.ts";
import { servingProcesses } from "./process-specs.ts";
import { onDemandArgument, readActivity } from "./site-activity.ts";
import { siteEnvironment } from "./site-environment.ts";
import { migrateSite } from "./site-work.ts";
import { supervise } from "./supervisor.ts";
import { makeWebSocketFile } from "./web-socket.ts";

export interface LaunchDependencies {
  installation: Config;
  env: Environment;
  clock: Clock;
  log: Log;
  /** Gets each line that a site's processes write. */
  onOutput(line: string): void;
  /** How long web and runner may take until they serve, in ms; defaults to a minute. */
  readyMs?: number;
}

/** A port on the loopback address that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await once(server.close(), "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The configuration of a further site, as its processes read it. */
export function siteConfig(env: Environment, installation: Config, id: string): Config {
  const config = loadConfig(siteEnvironment(env, installation, id));
  if (config.site?.id === id) return config;
  const message = `${config.paths.configFile} must have "site": {"id": "${id}"}.`;
  throw new AppError("unavailable", message);
}

/** Removes the sockets of killed processes. */
async function removeOldSockets(dataDir: string): Promise<void> {
  for await (const name of glob("web-*.sock", { cwd: dataDir })) {
    await rm(join(dataDir, name), { force: true });
  }
}

/** Marks a line of the log with the site that it is about. */
function withSite(line: string, id: string): string {
  return line.startsWith("{") ? `{"site":"${id}",${line.slice(1)}` : line;
}

/** Brings a site's database up to date and starts its web and its runner. */
export async function launchSite(
  deps: LaunchDependencies,
  id: string,
  onActivity: (activity: { open: number }) => void,
): Promise<LaunchedSite> {
  const { installation, env, clock, log, onOutput, readyMs = 60_000 } = deps;
  const config = siteConfig(env, installation, id);
  await assertInstalled(config.paths);
  const migrated = await migrateSite(config, clock.now());
  if (migrated.length > 0) log.info({ site: id, migrated }, "a site's database is up to date");
  await removeOldSockets(config.paths.data);
  const port = await freePort();
  // Each has its own name, because a server that ends removes its socket by name.
  const socket = await makeWebSocketFile(config.paths.data, port);
  if (socket === null) throw new AppError("unavailable", "The site's web has no place to listen.");
  const inherited = { ...siteEnvironment(env, installation, id), RUNNER_PORT: String(port) };
  const { web, runner } = servingProcesses(inherited);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const supervisor = supervise({
    processes: [
      { ...web, args: [...web.args, onDemandArgument, `--socket=${socket.path}`] },
      { ...runner, args: [...runner.args, onDemandArgument] },
    ],
    log,
    onReady: resolve,
    onOutput: (line) => onOutput(withSite(line, id)),
    onMessage(_name, message) {
      const activity = readActivity(message);
      if (activity !== null) onActivity(activity);
    },
  });
  const late = setTimeout(() => reject(new Error("The site's processes don't start.")), readyMs);
  const untilEnded = async () => {
    await supervisor.ended;
    reject(new Error("The site's processes have ended."));
    await socket.remove();
  };
  ready.catch(() => {}).finally(() => clearTimeout(late));
  return { socket: socket.path, ready, ended: untilEnded(), stop: supervisor.stop };
}
