import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { systemPath } from "../../packages/server/src/platform/process.ts";
import { loadKeys } from "../../packages/server/src/platform/secrets.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts, startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";

const path = "app/src/content/home.json";
/** Less than the minute after which a runner counts as dead that holds its lock. */
const soon = 40_000;
/** How long a start, or a build with its checks, may take, in ms. */
const patient = 120_000;

/** A second runner on the folder of an instance, without a web process of its own. */
interface SecondRunner extends AsyncDisposable {
  url: string;
  port: number;
  kill(): Promise<void>;
}

async function startSecond({ dir }: TestInstance): Promise<SecondRunner> {
  const [port = 0] = await freePorts(1);
  const child: ChildProcess = spawn(join(platformRoot, "packages/server/bin/vitrine"), ["runner"], {
    // Where the web process listens is no matter to a runner.
    env: { PATH: systemPath, VITRINE_DIR: dir, HOST: "0.0.0.0", RUNNER_PORT: String(port) },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  const ended = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  await eventually(() => fetch(url), patient);
  return { url, port, kill: () => end("SIGKILL"), [Symbol.asyncDispose]: () => end("SIGTERM") };
}

/** Whether somebody takes connections there. */
function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

/** The signed-in admin, who asks the runners themselves as the web process does. */
async function openConnection(instance: TestInstance) {
  const response = await fetch(await instance.link(), { redirect: "manual" });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { runner: key } = await loadKeys(instance.paths.keys);
  const headers = { cookie, "x-vitrine-key": key };
  const post = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  return {
    stream: (url: string, runId: string) =>
      fetch(`${url}/devconsole/stream/${runId}`, { headers }).then((stream) => stream.text()),
    async ask<T>(url: string, body?: object): Promise<T> {
      const init = body === undefined ? { headers } : { ...post, body: JSON.stringify(body) };
      return ((await (await fetch(url, init)).json()) as { data: T }).data;
    },
  };
}

type Connection = Awaited<ReturnType<typeof openConnection>>;

async function reach(
  connection: Connection,
  url: string,
  runId: string,
  status: Run["status"],
): Promise<Run> {
  return eventually(
    async () => {
      const run = await connection.ask<Run>(`${url}/devconsole/runs/${runId}`);
      expect(run.status).toBe(status);
      return run;
    },
    status === "interrupted" ? soon : patient,
  );
}

async function start(
  connection: Connection,
  url: string,
  model: ModelServer,
  steps: number,
): Promise<string> {
  const wanted = { instruction: "Invite to look.", pageUrl: "/" };
  const { runId } = await connection.ask<{ runId: string }>(`${url}/devconsole/run`, wanted);
  await eventually(() => expect(model.requests).toHaveLength(steps), patient);
  return runId;
}

test("of two runners on one instance, neither disturbs the other, and one cleans up after the other", async () => {
  const edit = (search: string, replace: string) => ({
    text: "I change the button.",
    calls: [{ name: "edit", input: { path, search, replace } }],
  });
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  const done = { text: "Summary: It invites.\nCommit: Invite to look" };
  const model = await startModelServer([
    edit('"See the work"', '"Look at the work"'),
    () => mayEnd.then(() => done),
    edit('"Look at the work"', '"Look around"'),
    { hang: true, text: "Now I look whether" },
    done,
  ]);
  await using instance = await startInstance({
    apart: true,
    config: { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } },
  });
  try {
    const connection = await openConnection(instance);
    const first = instance.runnerUrl;
    const locks = async () =>
      (await readdir(instance.paths.runners)).filter((name) => name.endsWith(".lock"));

    // The second boots while the first is at work on a run, which goes on.
    const runId = await start(connection, first, model, 2);
    await using second = await startSecond(instance);
    expect(await locks()).toHaveLength(2);
    // On that one address alone: whoever listens on more of them is also found at the next.
    const hosts = ["127.0.0.1", "127.0.0.2", "::1"];
    const open = await Promise.all(hosts.map((host) => isOpen(host, second.port)));
    expect(open).toEqual([true, false, false]);
    expect((await connection.ask<Run>(`${second.url}/devconsole/runs/${runId}`)).status).toBe(
      "running",
    );
    const reported = connection.stream(second.url, runId);
    letEnd();
    await reach(connection, second.url, runId, "preview_ready");
    await connection.ask(`${second.url}/devconsole/publish`, { runId });
    const home = await (await fetch(`${instance.baseUrl}/`)).text();
    expect(home).toContain("Look at the work");
    // What the first did and what the second did is one stream, without a gap.
    const stream = await reported;
    const numbers = [...stream.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const event of ["tool.call", "preview.ready", "run.finished"]) {
      expect(stream).toContain(`event: ${event}\n`);
    }

    // The second dies at work: the first sees it without a restart, and its work can go on there.
    const lost = await start(connection, second.url, model, 4);
    await second.kill();
    const stopped = await reach(connection, first, lost, "interrupted");
    expect(stopped).toMatchObject({ error: "The server stopped during this run." });
    await eventually(async () => expect(await locks()).toHaveLength(1), soon);
    const next = await connection.ask<{ runId: string }>(`${first}/devconsole/retry`, {
      runId: lost,
    });
    const { filesChanged } = await reach(connection, first, next.runId, "preview_ready");
    expect(filesChanged).toEqual([{ path, added: 1, removed: 1 }]);
    expect(await instance.git("status", "--porcelain")).toBe("");
  } finally {
    await model.close();
  }
}, 480_000);
