import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Health } from "../../packages/server/src/features/health/health.ts";
import {
  type InstancePaths,
  instancePaths,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { freePorts } from "../support/instance.ts";
import { type ProductProcess, productProcesses, signal } from "./processes.ts";
import { until } from "./wait.ts";

const program = join(platformRoot, "packages/server/bin/vitrine");

export interface Answer<T = unknown> {
  status: number;
  data: T;
  error: { code: string; message: string } | null;
  cookie: string;
}

export interface RequestOptions {
  method?: string;
  body?: object | FormData;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** A complete product, installed in a folder and run by its supervisor. */
export interface Product {
  /** The folder of the instance, its temporary files, and its home. */
  root: string;
  paths: InstancePaths;
  baseUrl: string;
  port: number;
  /** The address of its PostgreSQL database; null with SQLite. */
  databaseUrl: string | null;
  /** Added to the environment of processes that start from now on. */
  extraEnv: Record<string, string>;
  /** What its processes have logged, the last megabyte. */
  log(): string;
  /** Installs it in its folder, which may be empty or have what a killed installation has left. */
  install(): Promise<void>;
  /** Runs a command and returns its data; throws if it fails. */
  command(args: readonly string[], input?: string): Promise<Record<string, unknown>>;
  git(...args: string[]): Promise<string>;
  start(): void;
  /** Stops it and waits; kills what remains after 30 s. */
  stop(): Promise<void>;
  /** Kills all of its processes at once, like a power cut. */
  killAll(): Promise<void>;
  /** Restarts it if its supervisor has ended. */
  ensureStarted(): void;
  /** Its processes, including orphaned ones. */
  processes(): Promise<ProductProcess[]>;
  /** A response of the API; throws if there is none. */
  request<T>(path: string, options?: RequestOptions): Promise<Answer<T>>;
  health(): Promise<Health>;
  /** Waits until every check of its health is ok; throws after `timeoutMs`. Gives the ms it took. */
  ready(timeoutMs?: number): Promise<number>;
}

/** Not that of the site's admin. */
export const password = "a long enough password";

const logBytes = 1024 * 1024;

async function writeConfig(paths: InstancePaths, modelUrl: string): Promise<void> {
  const file = JSON.parse(await readFile(paths.configFile, "utf8")) as object;
  const config = {
    ...file,
    // All visitors of a run come from this machine, so throttling would stop the load.
    trustedIps: ["127.0.0.1", "::1"],
    // Those who name another address are throttled by it, as behind a proxy.
    trustProxy: ["127.0.0.1", "::1"],
    model: { provider: "openai-compatible", id: "scripted", baseUrl: modelUrl },
    qa: { intervalMinutes: 0, autofix: false },
    limits: { build: { shareImages: 0 }, tasks: { leaseSeconds: 10 } },
  };
  await writeFile(paths.configFile, JSON.stringify(config));
}

async function ask<T>(url: string, options: RequestOptions): Promise<Answer<T>> {
  const { body, headers = {}, timeoutMs = 60_000 } = options;
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...headers, ...(body && !isForm ? { "content-type": "application/json" } : {}) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const { data, error } = JSON.parse(text) as { data: T; error: Answer["error"] };
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { status: response.status, data, error, cookie };
}

export interface ProductOptions {
  root: string;
  modelUrl: string;
  databaseUrl: string | null;
  /** Added to the environment of its processes and commands. */
  env?: Readonly<Record<string, string>>;
  /** Whether others share its database, where the password and the settings already are. */
  isFurtherNode?: boolean;
}

/** Installs a product below `root`; `start` runs it. */
export async function installProduct(options: ProductOptions): Promise<Product> {
  const { root, modelUrl, databaseUrl, env = {}, isFurtherNode = false } = options;
  const paths = instancePaths(join(root, "instance"));
  const [port = 0, runnerPort = 0] = await freePorts(2);
  const baseUrl = `http://localhost:${port}`;
  const temporary = join(root, "tmp");
  await mkdir(temporary);
  let child: ChildProcess | null = null;
  let log = "";

  const product: Product = {
    root,
    paths,
    baseUrl,
    port,
    databaseUrl,
    extraEnv: {},
    log: () => log,
    async install() {
      await product.command(["install", "--yes"]);
      await writeConfig(paths, modelUrl);
    },
    async command(args, input = "") {
      const result = await run(program, args, { env: environment(), input, timeoutMs: 300_000 });
      if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: ${result.stdout}`);
      return (JSON.parse(result.stdout) as { data: Record<string, unknown> }).data;
    },
    async git(...args) {
      const result = await run("git", ["-C", paths.content, ...args]);
      if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr}`);
      return result.stdout;
    },
    start() {
      const all = { ...environment(), ...product.extraEnv };
      const started = spawn(program, ["start"], { env: all, stdio: ["ignore", "pipe", "pipe"] });
      const keep = (chunk: Buffer) => (log = (log + chunk.toString()).slice(-logBytes));
      started.stdout.on("data", keep);
      started.stderr.on("data", keep);
      child = started;
    },
    async stop() {
      if (child === null || !isRunning(child)) return product.killAll();
      const ended = once(child, "exit");
      const late = setTimeout(() => child?.kill("SIGKILL"), 30_000);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(late);
      await product.killAll();
    },
    async killAll() {
      await until("the end of all processes", async () => {
        const left = await product.processes();
        for (const { pid } of left) signal(pid, "SIGKILL");
        return left.length === 0;
      });
    },
    ensureStarted() {
      if (child === null || !isRunning(child)) product.start();
    },
    processes: () => productProcesses(root),
    request: (path, request = {}) => ask(baseUrl + path, request),
    health: async () => (await product.request<Health>("/api/health", { timeoutMs: 10_000 })).data,
    async ready(timeoutMs = 120_000) {
      const began = performance.now();
      await until(
        "health ok",
        async () => {
          product.ensureStarted();
          const { status, checks } = await product.health();
          if (status === "ok") return true;
          const bad = Object.entries(checks).filter(([, check]) => check.status !== "ok");
          throw new Error(bad.map(([name, check]) => `${name} ${check.note ?? ""}`).join(", "));
        },
        { timeoutMs, everyMs: 200 },
      );
      return performance.now() - began;
    },
  };

  const environment = () => ({
    PATH: systemPath,
    HOME: root,
    TMPDIR: temporary,
    VITRINE_DIR: paths.dir,
    PORT: String(port),
    RUNNER_PORT: String(runnerPort),
    BASE_URL: baseUrl,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  });

  await product.install();
  if (isFurtherNode) return product;
  await product.command(["set-admin-password"], `${password}\n`);
  // Without email, sign-up would be closed.
  await product.command(["setting", "set", "accounts"], '{"signUp": "open"}\n');
  return product;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
