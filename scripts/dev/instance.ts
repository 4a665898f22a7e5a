import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { instanceProcesses } from "../../packages/server/src/processes/process-specs.ts";
import { supervise, type Supervisor } from "../../packages/server/src/processes/supervisor.ts";
import { instancePaths, platformRoot } from "../../packages/server/src/platform/paths.ts";

/** The exit code of a command that had nothing to do. */
const nothingToDo = 3;

export interface DevInstanceOptions {
  /** The folder of the instance, which is installed on first use. */
  dir: string;
  /** The address that people open. */
  baseUrl: string;
  /** The actual ports of web and runner. */
  ports: { web: number; runner: number };
  /** The scripted model's address. */
  modelUrl: string;
}

/** The development instance: its commands, and its processes from the current sources. */
export interface DevInstance {
  paths: ReturnType<typeof instancePaths>;
  /** Runs a command in it and returns its data; throws its error. */
  vitrine(args: readonly string[]): Promise<Record<string, unknown>>;
  /** A sign-in link, the same until the instance is removed. */
  signInLink(): Promise<string>;
  /** Resolves when web and runner, as last started, are serving. */
  ready(): Promise<void>;
  /** Starts web and runner, or restarts them from the current sources. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

function environmentOf({ dir, baseUrl, ports }: DevInstanceOptions): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    VITRINE_DIR: dir,
    HOST: "127.0.0.1",
    PORT: String(ports.web),
    RUNNER_PORT: String(ports.runner),
    METRICS_PORT: "off",
    BASE_URL: baseUrl,
    LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn",
    NODE_COMPILE_CACHE: join(dir, "../compile-cache"),
  };
}

async function setModel(configFile: string, baseUrl: string): Promise<void> {
  const file = JSON.parse(await readFile(configFile, "utf8")) as Record<string, unknown>;
  const model = { provider: "openai-compatible", id: "scripted", baseUrl };
  await writeFile(configFile, `${JSON.stringify({ ...file, model }, null, 2)}\n`);
}

/** Web and runner, from the sources as of their last start. */
function keepServing(
  env: Record<string, string>,
  prepare: () => Promise<unknown>,
): Pick<DevInstance, "ready" | "restart" | "stop"> {
  const log = createLog({ level: "warn", name: "dev" });
  let supervisor: Supervisor | null = null;
  let serving = Promise.withResolvers<void>();
  let turn: Promise<void> = Promise.resolve();

  async function end(): Promise<void> {
    supervisor?.stop();
    await supervisor?.ended;
    supervisor = null;
  }

  async function start(before: Promise<void>, onReady: () => void): Promise<void> {
    await before.catch(() => {});
    await end();
    await prepare();
    supervisor = supervise({ processes: instanceProcesses(env), log, onReady });
  }

  return {
    ready: () => serving.promise,
    async restart() {
      // Callers that wait for a start that failed wait for the next one.
      const before = serving;
      serving = Promise.withResolvers();
      before.resolve(serving.promise);
      turn = start(turn, serving.resolve);
      await turn;
    },
    async stop() {
      await turn.catch(() => {});
      await end();
    },
  };
}

/** Opens the instance of `npm run dev`; installs it if there is none. */
export async function openDevInstance(options: DevInstanceOptions): Promise<DevInstance> {
  const { dir, baseUrl, modelUrl } = options;
  const paths = instancePaths(dir);
  const env = environmentOf(options);
  const program = join(platformRoot, "packages/server/bin/vitrine");

  async function vitrine(args: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, exitCode } = await run(program, args, { env, timeoutMs: 600_000 });
    if (exitCode === 0 || exitCode === nothingToDo) {
      return (JSON.parse(stdout) as { data: Record<string, unknown> }).data;
    }
    throw new Error(`vitrine ${args.join(" ")}: ${stdout}${stderr}`);
  }

  await mkdir(dir, { recursive: true });
  await vitrine(["install", "--yes"]);
  await setModel(paths.configFile, modelUrl);
  return {
    paths,
    vitrine,
    async signInLink() {
      const file = join(dir, "../sign-in-link");
      const known = await readFile(file, "utf8").catch(() => null);
      if (known?.startsWith(`${baseUrl}/`)) return known.trim();
      const link = String((await vitrine(["set-admin-token"]))["url"]);
      await writeFile(file, `${link}\n`, { mode: 0o600 });
      return link;
    },
    ...keepServing(env, () => vitrine(["migrate"])),
  };
}
