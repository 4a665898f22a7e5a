import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  instancePaths,
  nodeBinary,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { copyInstalledCode, keepInstalledCode } from "./builder-code.ts";
import { compileCache } from "./compile-cache.ts";
import { installOnce, type Ports } from "./installed.ts";
import { tempFolder } from "./temp.ts";

/** `vitrine` from the bundle that scripts/test.ts made, or else from the sources. */
const shelf = process.env["TEST_SHELF"];
const [program, ...programArgs]: [string, ...string[]] =
  shelf === undefined
    ? [join(platformRoot, "packages/server/bin/vitrine")]
    : [nodeBinary, join(shelf, "processes/main.mjs")];

async function command(
  args: readonly string[],
  env: Record<string, string>,
  input = "",
): Promise<Record<string, unknown>> {
  // On a machine that does much else a first build takes its time.
  const result = await run(program, [...programArgs, ...args], { env, input, timeoutMs: 180_000 });
  if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: ${result.stdout}`);
  return (JSON.parse(result.stdout) as { data: Record<string, unknown> }).data;
}

/** A whole product in a folder of its own: installed by its command, run by its supervisor. */
export interface TestInstance extends AsyncDisposable {
  dir: string;
  paths: ReturnType<typeof instancePaths>;
  baseUrl: string;
  runnerUrl: string;
  /** Itself, or with `npm test -- --nodes`, the nodes that it consists of. */
  readonly nodes: readonly TestInstance[];
  /** What its processes have logged. */
  log(): string;
  /** Runs a command of it and gives what its envelope carries; throws on any other exit than 0. */
  vitrine(args: readonly string[], input?: string): Promise<Record<string, unknown>>;
  /** Starts a command of it without waiting for its end. */
  startCommand(args: readonly string[]): ChildProcess;
  /** Git in its content repository. */
  git(...args: string[]): Promise<string>;
  /** A new secret link. */
  link(): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILLs one of its processes and waits until the next of its kind is started. */
  kill(name: "front" | "web" | "runner"): Promise<void>;
  /** Sends a signal to one of its processes below the supervisor. */
  signal(name: "front" | "web" | "runner", signal: NodeJS.Signals): Promise<void>;
  /** One of its processes, where they run apart. */
  process(name: "web" | "runner"): ChildProcess;
  /** Waits until web and runner answer. */
  ready(): Promise<void>;
}

/** Below those that Linux hands out by itself: no server on "any port" comes to have one of these. */
const portRange = { first: 12_000, end: 32_000 };
const given = new Set<number>();

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  await once(server.close(), "close");
  return true;
}

/** Ports on which nobody listens, for whoever listens on them later. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = randomInt(portRange.first, portRange.end);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    found.push(port);
  }
  return found;
}

async function waitUntil(what: string, test: () => Promise<boolean>, ms = 60_000): Promise<void> {
  const start = performance.now();
  while (!(await test().catch(() => false))) {
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`waited in vain for ${what}`);
    // To look takes time from what is waited for: the longer it takes, the less often that is done.
    await new Promise((resolve) => setTimeout(resolve, Math.max(50, waited / 10)));
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  const response = (await (await fetch(`${baseUrl}/api/health`)).json()) as {
    data: { checks: { runner: { status: string } } };
  };
  return response.data.checks.runner.status === "ok";
}

/** The child of the supervisor that runs this process file. */
async function childNamed(supervisor: number, name: string): Promise<number> {
  const { stdout } = await run("/usr/bin/pgrep", [
    "-P",
    String(supervisor),
    "-f",
    `/${name}\\.(ts|mjs)`,
  ]);
  return Number(stdout.trim() || Number.NaN);
}

export interface InstanceOptions {
  /** Laid over its vitrine.json. */
  config?: Record<string, unknown>;
  /** Reaches its processes. */
  env?: Record<string, string>;
  /**
   * Whether its runner keeps a builder loaded ahead. Unless told it does not: of the two builds that
   * each one costs, tests of other things need one.
   */
  warm?: boolean;
  /** Runs web and runner without the supervisor, so that a killed one is back at once. */
  apart?: boolean;
  /** How long a build may take, also the first one, in s: for a machine that does much else. */
  buildSeconds?: number;
  /** How long its processes may take to answer after a start, in ms; a minute unless told. */
  readyMs?: number;
}

type StartInstance = (options: InstanceOptions) => Promise<TestInstance>;

let start: StartInstance = startNode;

/** Has all further instances started in another way. */
export function startInstancesBy(other: StartInstance): void {
  start = other;
}

/** Installs an instance and starts it, with `npm test -- --nodes` as several nodes. */
export const startInstance = (options: InstanceOptions = {}): Promise<TestInstance> =>
  start(options);

/** Installs one node of an instance, as a rule the only one, and starts it. */
export async function startNode(options: InstanceOptions = {}): Promise<TestInstance> {
  const folder = await tempFolder();
  const dir = join(folder.path, "instance");
  const paths = instancePaths(dir);
  const newPorts = async (): Promise<Ports> => {
    const [web = 0, runner = 0] = await freePorts(2);
    return [web, runner];
  };
  const environment = ([web, runner]: Ports) => ({
    PATH: systemPath,
    HOME: folder.path,
    VITRINE_DIR: dir,
    PORT: String(web),
    RUNNER_PORT: String(runner),
    BASE_URL: `http://localhost:${web}`,
    ...compileCache(),
    ...options.env,
  });
  const { buildSeconds: seconds } = options;
  const install = async (ports: Ports) => {
    await copyInstalledCode(paths);
    if (seconds !== undefined) {
      await mkdir(dir, { recursive: true });
      await writeFile(paths.configFile, JSON.stringify({ limits: { build: { seconds } } }));
    }
    await command(["install", "--yes"], environment(ports));
    await keepInstalledCode(paths);
  };
  const makeLink = async (ports: Ports) =>
    String((await command(["set-admin-token"], environment(ports)))["url"]);
  // An instance that something else is said to is installed for itself.
  const isShared = options.env === undefined && seconds === undefined;
  const own = isShared ? null : await newPorts();
  if (own) await install(own);
  const { ports, link, release } = own
    ? { ports: own, link: null, release() {} }
    : await installOnce(newPorts, { dir, install, makeLink });
  const [port, runnerPort] = ports;
  const env = environment(ports);
  const baseUrl = `http://localhost:${port}`;
  let log = "";
  let installedLink = link;
  const children = new Map<string, ChildProcess>();

  function launch(name: string): void {
    const child = spawn(program, [...programArgs, name], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (log += chunk.toString()));
    }
    children.set(name, child);
  }

  async function killSupervised(name: string): Promise<void> {
    const supervisor = children.get("start")?.pid ?? 0;
    const pid = await childNamed(supervisor, name);
    process.kill(pid, "SIGKILL");
    await waitUntil(`another ${name}`, async () => {
      const next = await childNamed(supervisor, name);
      return !Number.isNaN(next) && next !== pid;
    });
  }

  const instance: TestInstance = {
    dir,
    paths,
    baseUrl,
    runnerUrl: `http://127.0.0.1:${runnerPort}`,
    get nodes() {
      return [instance];
    },
    log: () => log,
    vitrine: (args, input) => command(args, env, input),
    startCommand: (args) => spawn(program, [...programArgs, ...args], { env, stdio: "ignore" }),
    async git(...args) {
      const { stdout, stderr, exitCode } = await run("/usr/bin/git", [
        "-C",
        paths.content,
        ...args,
      ]);
      if (exitCode !== 0) throw new Error(stderr);
      return stdout;
    },
    async link() {
      const known = installedLink;
      installedLink = null;
      return known ?? makeLink(ports);
    },
    async start() {
      for (const name of options.apart ? ["web", "runner"] : ["start"]) launch(name);
      await instance.ready();
    },
    async stop() {
      const running = [...children.values()].filter(
        (child) => child.exitCode === null && child.signalCode === null,
      );
      const ended = running.map((child) => once(child, "exit"));
      for (const child of running) child.kill("SIGTERM");
      await Promise.all(ended);
      children.clear();
    },
    async kill(name) {
      const child = children.get(name);
      if (!child) return killSupervised(name);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      launch(name);
    },
    async signal(name, signal) {
      process.kill(await childNamed(children.get("start")?.pid ?? 0, name), signal);
    },
    process(name) {
      const child = children.get(name);
      if (!child) throw new Error(`${name} does not run apart.`);
      return child;
    },
    ready: () => waitUntil("web and runner", () => isReady(baseUrl), options.readyMs),
    async [Symbol.asyncDispose]() {
      await instance.stop();
      release();
      await folder.remove();
    },
  };

  try {
    const file = JSON.parse(await readFile(paths.configFile, "utf8")) as object;
    const { limits, ...config } = options.config ?? {};
    const bounds = {
      build: { warm: options.warm ?? false, shareImages: 0, ...(seconds && { seconds }) },
      ...(limits as object),
    };
    await writeFile(paths.configFile, JSON.stringify({ ...file, ...config, limits: bounds }));
    await instance.start();
    return instance;
  } catch (error) {
    await instance[Symbol.asyncDispose]();
    throw new Error(`the instance can't be started:\n${log.slice(-4000)}`, { cause: error });
  }
}
