import { request } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { freePorts } from "../../../../test/support/instance.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import type { MetricFamily } from "../features/metrics/exposition.ts";
import { createLog } from "../platform/log.ts";
import { nodeBinary } from "../platform/paths.ts";
import { listenForMetrics, type MetricsServer } from "./metrics-server.ts";
import { serveSupervisedMetrics } from "./metrics.ts";
import { type ProcessSpec, supervise, type Supervisor } from "./supervisor.ts";

const log = createLog({ level: "silent", name: "test" });
let folder: TempFolder;
let server: MetricsServer | null;
let supervisor: Supervisor | null;
beforeEach(async () => {
  folder = await tempFolder();
  server = null;
  supervisor = null;
});
afterEach(async () => {
  await server?.close();
  supervisor?.stop();
  await supervisor?.ended;
  await folder.remove();
});

interface Answer {
  status: number;
  type: string | undefined;
  text: string;
}

function get(port: number, { path = "/metrics", method = "GET", host = "localhost" } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: "127.0.0.1", port, path, method, headers: { host }, agent: false };
  request(options, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("end", () => {
      resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"], text });
    });
  })
    .on("error", reject)
    .end();
  return promise;
}

const up: MetricFamily = {
  name: "up",
  help: "Up.",
  type: "gauge",
  samples: [{ labels: {}, value: 1 }],
};

test("serves the metrics at /metrics only, to reads only, and to known hosts only", async () => {
  const [port = 0] = await freePorts(1);
  const address = { host: "127.0.0.1", port };
  let reads = 0;
  const read = async () => {
    reads += 1;
    return [up];
  };
  server = await listenForMetrics({ address, read, log });
  expect(await get(port)).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
    text: "# HELP up Up.\n# TYPE up gauge\nup 1\n",
  });
  expect(await get(port, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  expect((await get(port, { path: "/" })).status).toBe(404);
  expect((await get(port, { method: "POST" })).status).toBe(405);
  expect((await get(port, { host: "rebound.example" })).status).toBe(421);
  expect(reads).toBe(1);
});

test("a failure to read is told without its reason, and the port is refused while it is in use", async () => {
  const [port = 0] = await freePorts(1);
  const address = { host: "127.0.0.1", port };
  const read = () => Promise.reject(new Error("secret"));
  server = await listenForMetrics({ address, read, log });
  const { status, text } = await get(port);
  expect([status, text]).toEqual([500, "The metrics can't be read.\n"]);
  await expect(listenForMetrics({ address, read, log })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

/** A process that answers its supervisor. */
async function makeProcess(name: string, answers: boolean): Promise<ProcessSpec> {
  const file = join(folder.path, `${name}.mjs`);
  const answer = answers
    ? `process.on("message", () => process.send({ metrics: ${JSON.stringify([up])} }));`
    : "";
  await writeFile(
    file,
    `${answer} process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); process.send("ready");`,
  );
  return { name, command: nodeBinary, args: [file], env: {} };
}

test("one scrape has all processes, also while one doesn't answer, and counts restarts", async () => {
  const [port = 0] = await freePorts(1);
  server = await serveSupervisedMetrics({ host: "127.0.0.1", port }, () => supervisor, log);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const processes = [await makeProcess("web", true), await makeProcess("runner", false)];
  supervisor = supervise({ processes, log, onReady: resolve });
  await ready;
  const first = (await get(port)).text;
  expect(first).toContain('vitrine_process_up{process="web"} 1\n');
  expect(first).toContain('vitrine_process_up{process="runner"} 0\n');
  expect(first).toContain('\nup{process="web"} 1\n');
  expect(first).toContain('process_resident_memory_bytes{process="supervisor"}');
  expect(first.match(/# TYPE vitrine_process_up /g)).toHaveLength(1);
  supervisor.processes()[0]?.child?.kill("SIGKILL");
  await eventually(async () => {
    const { text } = await get(port);
    expect(text).toContain('vitrine_process_restarts_total{process="web"} 1\n');
    expect(text).toContain('vitrine_process_up{process="web"} 1\n');
  }, 20_000);
});
