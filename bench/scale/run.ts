/**
 * One installation with very many further sites: how long it takes to find the site of a host, how
 * long a page takes, and what front, supervisor, and the process of sites need together.
 *
 *   node bench/scale/run.ts [--sites=100000] [--used=1000] [--requests=5000]
 */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeSitesClient } from "../../packages/server/src/processes/sites-client.ts";
import { startInstance, type TestInstance } from "../../test/support/instance.ts";
import { printFigures, quantile } from "../support/figures.ts";
import { domainOf, pages, publishSites, registerSites } from "./synthetic-sites.ts";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "100000" },
    used: { type: "string", default: "1000" },
    requests: { type: "string", default: "5000" },
  },
});
const [siteCount, usedCount, requestCount] = [values.sites, values.used, values.requests].map(
  Number,
) as [number, number, number];
const maxPageMs = 2;
const maxMiB = 300;
const random = (below: number) => Math.floor(Math.random() * below);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** The time until a whole page is there, in ms. */
function timePage({ baseUrl }: TestInstance, host: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const began = performance.now();
  const { port } = new URL(baseUrl);
  const call = request({ host: "127.0.0.1", port, path, agent, headers: { host } }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${host}${path}: ${response.statusCode}`));
    response.resume().once("end", () => resolve(performance.now() - began));
  });
  call.once("error", reject).end();
  return promise;
}

/** The memory of the processes with one of these files in their command line, by PSS. */
function memoryMiB(instance: TestInstance, name: string): number {
  let total = 0;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes(name)) continue;
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      if (
        !command.includes(instance.dir) &&
        !environment.includes(`VITRINE_DIR=${instance.dir}\0`)
      ) {
        continue;
      }
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      total += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
    } catch {
      // It has ended.
    }
  }
  return total;
}

async function timeEach(count: number, work: (turn: number) => Promise<number>) {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) times.push(await work(turn));
  return times;
}

await using instance = await startInstance({
  config: { qa: { intervalMinutes: 0 } },
  readyMs: 600_000,
});
const before = ["front.ts", "bin/vitrine"].map((name) => memoryMiB(instance, name));
await registerSites(instance, siteCount);
await publishSites(instance, usedCount);
const { port } = new URL(instance.baseUrl);
const client = makeSitesClient(join(instance.paths.data, `sites-${port}.sock`), { waitMs: 30_000 });
const lookUp = async () => {
  const began = performance.now();
  const found = await client.findRoute(domainOf(random(siteCount)));
  if (found === null) throw new Error("a registered domain wasn't found");
  return performance.now() - began;
};
await lookUp();
const lookups = await timeEach(requestCount, lookUp);
const first = await timeEach(usedCount, (turn) => timePage(instance, domainOf(turn), "/p0/"));
for (let page = 1; page < pages; page += 1) {
  await timeEach(usedCount, (turn) => timePage(instance, domainOf(turn), `/p${page}/`));
}
const warm = await timeEach(requestCount, () =>
  timePage(instance, domainOf(random(Math.min(usedCount, 100))), "/p0/"),
);
const own = await timeEach(requestCount, () => timePage(instance, "localhost", "/"));
client.close();
const memory = {
  front: memoryMiB(instance, "/front.ts"),
  sites: memoryMiB(instance, "/sites.ts"),
  supervisor: memoryMiB(instance, "/main.ts") || (before[1] ?? 0),
};
console.table({ before, ...memory });
printFigures([
  {
    id: "look-up-p50",
    what: "look-up of a host that the front doesn't know, median",
    unit: "ms",
    values: [quantile(lookups, 0.5)],
  },
  {
    id: "look-up-p99",
    what: "look-up of a host that the front doesn't know, 99th percentile",
    unit: "ms",
    values: [quantile(lookups, 0.99)],
  },
  {
    id: "first-p99",
    what: "first page of a site, 99th percentile",
    unit: "ms",
    values: [quantile(first, 0.99)],
  },
  {
    id: "warm-p50",
    what: "page of a further site with the look-up of its host, median",
    unit: "ms",
    values: [quantile(warm, 0.5)],
  },
  {
    id: "warm-p99",
    what: "page of a further site with the look-up of its host, 99th percentile",
    unit: "ms",
    values: [quantile(warm, 0.99)],
    max: maxPageMs,
  },
  {
    id: "own-p50",
    what: "home page of the installation's own site, median",
    unit: "ms",
    values: [quantile(own, 0.5)],
  },
  {
    id: "own-p99",
    what: "home page of the installation's own site, 99th percentile",
    unit: "ms",
    values: [quantile(own, 0.99)],
  },
  {
    id: "memory",
    what: "PSS of front, process of sites, and supervisor",
    unit: "MiB",
    values: [memory.front + memory.sites + memory.supervisor],
    max: maxMiB,
  },
]);
