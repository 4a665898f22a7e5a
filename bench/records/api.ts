/**
 * How long the projects' API takes to list, search, get and save at 10, 1,000 and 10,000 projects:
 * over HTTP, one request after the other, the sizes in turn in the same run. The ratio is that of
 * the largest to the smallest.
 *
 *     node bench/records/api.ts [--rounds 60] [--sizes 10,1000,10000]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { type Figure, printFigures } from "../support/figures.ts";
import type { SeededServer } from "./api-server.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "60" },
    sizes: { type: "string", default: "10,1000,10000" },
  },
});
const rounds = Number(values.rounds);
const warmUp = 10;

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

interface ApiTarget {
  pool: Pool;
  server: SeededServer;
  /** The version of the project that is saved. */
  version: number;
}

async function ask<T>({ pool, server }: ApiTarget, path: string, body?: object): Promise<T> {
  const response = await pool.request({
    path: `/api/adminprojects${path}`,
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200)
    throw new Error(`${path} answered ${response.statusCode}: ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

const operations: Record<string, (target: ApiTarget, round: number) => Promise<void>> = {
  list: (target) => ask(target, "/list"),
  "list, last page": ({ server, ...rest }) =>
    ask({ server, ...rest }, `/list?page=${Math.max(1, Math.floor(server.projects / 25))}`),
  "list by name": (target) => ask(target, "/list?sort=name"),
  "list, last changed first": (target) => ask(target, "/list?sort=updated"),
  "list of a category": (target) => ask(target, "/list?category=Maps"),
  search: (target) => ask(target, "/list?q=harbour%20m%C3%A4p"),
  "search, nothing found": (target) => ask(target, "/list?q=xyzzy"),
  filters: (target) => ask(target, "/filters"),
  get: (target) => ask(target, `/get?id=${target.server.id}`),
  async save(target, round) {
    const { id } = target.server;
    const change = { id, version: target.version, summary: `Round ${round}` };
    target.version = (await ask<{ version: number }>(target, "/save", change)).version;
  },
};

async function measure(all: ApiTarget[]): Promise<Map<string, number[][]>> {
  const times = new Map(
    Object.keys(operations).map((name) => [name, all.map(() => [] as number[])]),
  );
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, operation] of Object.entries(operations)) {
      for (const [index, target] of all.entries()) {
        const start = performance.now();
        await operation(target, round);
        if (round >= 0) times.get(name)?.[index]?.push(performance.now() - start);
      }
    }
  }
  return times;
}

const child = fork(
  fileURLToPath(new URL("api-server.ts", import.meta.url)),
  values.sizes.split(","),
);
const [servers] = (await once(child, "message")) as [SeededServer[]];
const all = servers.map((server): ApiTarget => {
  const pool = new Pool(`http://127.0.0.1:${server.port}`, { connections: 1 });
  return { pool, server, version: 1 };
});
try {
  const times = await measure(all);
  const round = (ms: number) => Math.round(ms * 100) / 100;
  const results = [...times].map(([name, lists]) => {
    const medians = lists.map(median);
    const bySize = servers.map(({ projects }, index) => [projects, round(medians[index] ?? 0)]);
    const ratio = round((medians.at(-1) ?? 0) / (medians[0] ?? 1));
    return { name, medianMs: Object.fromEntries(bySize) as object, ratio };
  });
  process.stdout.write(`${JSON.stringify({ rounds, results }, null, 2)}\n`);
  printFigures(
    [...times].flatMap(([name, lists]) =>
      servers.map(({ projects }, index): Figure => {
        const column = `${projects.toLocaleString("en")} projects`;
        const id = `${name}-${projects}`;
        return { id, what: name, column, unit: "ms", values: lists[index] ?? [] };
      }),
    ),
  );
} finally {
  await Promise.all(all.map(({ pool }) => pool.close()));
  child.disconnect();
}
