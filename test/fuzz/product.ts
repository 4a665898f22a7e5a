import { request } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import type { FuzzCase } from "./case.ts";

export interface FuzzAnswer {
  /** 0 when there was none. */
  status: number;
  type: string;
  /** The first 10 MB. */
  body: Buffer;
  /** Main-thread CPU time of both processes for it, in ms. */
  cpuMs: { web: number; runner: number };
}

type RequestCase = Extract<FuzzCase, { kind: "request" }>;

/** The running product with what is needed to ask it as anybody. */
export interface FuzzedProduct extends AsyncDisposable {
  instance: TestInstance;
  ask(one: RequestCase): Promise<FuzzAnswer>;
  get(path: string): Promise<FuzzAnswer>;
  getFromRunner(path: string): Promise<FuzzAnswer>;
  /** The names of its processes that have ended. */
  dead(): string[];
  /** Runs a command of it, whatever comes of it. */
  command(args: readonly string[]): Promise<{ exitCode: number | null; stdout: string }>;
}

const maxAnswerBytes = 10 * 1024 * 1024;
const maxAnswerMs = 60_000;
const tickMs = 10;

/** CPU time of a process's main thread so far, in ms, where its event loop is. */
async function loopCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

async function send(
  base: string,
  one: RequestCase,
  headers: Record<string, string>,
): Promise<Omit<FuzzAnswer, "cpuMs">> {
  const { hostname, port } = new URL(base);
  const { promise, resolve } = Promise.withResolvers<Omit<FuzzAnswer, "cpuMs">>();
  const nothing = { status: 0, type: "", body: Buffer.alloc(0) };
  let call: ReturnType<typeof request>;
  try {
    const { method, path } = one;
    call = request({ hostname, port, path, method, headers, agent: false, timeout: maxAnswerMs });
  } catch {
    // Node's client refuses to send it at all.
    return { ...nothing, status: -1 };
  }
  call.on("error", () => resolve(nothing));
  call.on("timeout", () => call.destroy());
  call.on("upgrade", (response, socket) => {
    socket.destroy();
    resolve({ ...nothing, status: response.statusCode ?? 0 });
  });
  call.on("response", (response) => {
    const type = response.headers["content-type"] ?? "";
    const status = response.statusCode ?? 0;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => resolve({ status, type, body: Buffer.concat(chunks) });
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) call.destroy();
    });
    response.on("end", end).on("close", end).on("error", end);
    if (type.startsWith("text/event-stream")) call.destroy();
  });
  if (one.body !== null) call.write(Buffer.from(one.body, "base64"));
  call.end();
  return promise;
}

/** Starts an instance, signs in and takes a token. */
export async function startProduct(): Promise<FuzzedProduct> {
  const instance = await startInstance({ apart: true });
  const made = await instance.vitrine(["api-token", "create", "fuzz", "--scopes", "read,write"]);
  const token = String(made["token"]);
  const key = (await readFile(join(instance.paths.keys, "runner.key"), "utf8")).trim();
  const link = await fetch(await instance.link(), { redirect: "manual" });
  const cookie = link.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const pids = {
    web: instance.process("web").pid ?? 0,
    runner: instance.process("runner").pid ?? 0,
  };
  const rights: Record<RequestCase["as"], Record<string, string>> = {
    nobody: {},
    admin: { cookie, origin: instance.baseUrl },
    token: { authorization: `Bearer ${token}` },
    "runner-key": { "x-vitrine-key": key, cookie },
  };
  const measure = async () => ({
    web: await loopCpuMs(pids.web),
    runner: await loopCpuMs(pids.runner),
  });
  const ask = async (one: RequestCase): Promise<FuzzAnswer> => {
    const before = await measure();
    const base = one.server === "web" ? instance.baseUrl : instance.runnerUrl;
    const response = await send(base, one, { ...rights[one.as], ...one.headers });
    const after = await measure();
    return {
      ...response,
      cpuMs: { web: after.web - before.web, runner: after.runner - before.runner },
    };
  };
  const plain = { kind: "request", method: "GET", headers: {}, body: null } as const;
  return {
    instance,
    ask,
    get: (path) => ask({ ...plain, server: "web", path, as: "admin" }),
    getFromRunner: (path) => ask({ ...plain, server: "runner", path, as: "runner-key" }),
    dead: () =>
      (["web", "runner"] as const).filter((name) => {
        const { exitCode, signalCode } = instance.process(name);
        return exitCode !== null || signalCode !== null;
      }),
    command: (args) =>
      run(join(platformRoot, "packages/server/bin/vitrine"), [...args], {
        env: { PATH: systemPath, HOME: instance.dir, VITRINE_DIR: instance.dir },
        timeoutMs: 120_000,
      }),
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  };
}
