/**
 * Measures requests per second of `GET /api/health` and `GET /api/adminauth/check` (signed in, and
 * not) against a bare Fastify route, all in one server process, alternating in the same run; and
 * how much longer a client waits for `GET /api/health` while passwords are hashed for sign-ins.
 *
 *     node bench/http/api.ts [--seconds 1.5] [--rounds 5] [--connections 16]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Figure, printFigures, ratios } from "../support/figures.ts";
import { type Load, load, type Target } from "./load.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "1.5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "16" },
  },
});
const ms = Number(values.seconds) * 1000;
const rounds = Number(values.rounds);
const connections = Number(values.connections);

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const server = fork(fileURLToPath(new URL("api-server.ts", import.meta.url)));
const [ready] = (await once(server, "message")) as [{ bare: number; app: number; cookie: string }];

const health = { name: "/api/health", port: ready.app, path: "/api/health", status: 200 };
const targets: Target[] = [
  { name: "bare Fastify route", port: ready.bare, path: "/bare", status: 200 },
  health,
  {
    name: "/api/adminauth/check, admin",
    port: ready.app,
    path: "/api/adminauth/check",
    headers: { cookie: ready.cookie },
    status: 204,
  },
  {
    name: "/api/adminauth/check, stranger",
    port: ready.app,
    path: "/api/adminauth/check",
    status: 401,
  },
];

/**
 * Keeps the maximum number of sign-ins waiting; the returned function stops and returns how many
 * were answered.
 */
function signIns(port: number): () => Promise<number> {
  const over = new AbortController();
  let answered = 0;
  const one = async () => {
    while (!over.signal.aborted) {
      const response = await fetch(`http://127.0.0.1:${port}/api/adminauth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ password: "not the password" }),
      });
      await response.arrayBuffer();
      if (response.status !== 401) throw new Error(`a sign-in was answered ${response.status}`);
      answered += 1;
    }
  };
  const all = Promise.all(Array.from({ length: 24 }, one));
  return async () => {
    over.abort();
    await all;
    return answered;
  };
}

/** Processor time of the server so far, in ms. */
function serverCpu(): number {
  const stat = readFileSync(`/proc/${server.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

try {
  const costs = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const alone: Load[] = [];
  const beside: Load[] = [];
  let signedIn = 0;
  const results = new Map<string, Load[]>(targets.map((target) => [target.name, []]));
  for (const target of targets) await load(target, connections, 500);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const before = serverCpu();
      const measured = await load(target, connections, ms);
      const requests = (measured.perSecond * ms) / 1000;
      costs.get(target.name)?.push(((serverCpu() - before) * 1000) / requests);
      results.get(target.name)?.push(measured);
    }
    alone.push(await load(health, 1, ms));
    const end = signIns(ready.app);
    beside.push(await load(health, 1, ms));
    signedIn += await end();
  }
  const base = median((results.get("bare Fastify route") ?? []).map((one) => one.perSecond));
  const summary = targets.map(({ name }) => {
    const loads = results.get(name) ?? [];
    const perSecond = median(loads.map((one) => one.perSecond));
    return {
      name,
      perSecond: Math.round(perSecond),
      ratio: Math.round((perSecond / base) * 100) / 100,
      p50ms: Math.round(median(loads.map((one) => one.p50)) * 100) / 100,
      p99ms: Math.round(median(loads.map((one) => one.p99)) * 100) / 100,
    };
  });
  const quiet = median(alone.map((one) => one.p99));
  const p99 = median(beside.map((one) => one.p99));
  const loaded = {
    name: "/api/health over one connection while sign-ins are hashed",
    signIns: signedIn,
    p99ms: Math.round(p99 * 100) / 100,
    p99Ratio: Math.round((p99 / quiet) * 100) / 100,
  };
  const report = { connections, rounds, results: summary, loaded };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const rates = (name: string) => (results.get(name) ?? []).map((one) => one.perSecond);
  const bareRates = rates("bare Fastify route");
  const ids = ["bare", "health", "check", "check-stranger"];
  const wanted: Record<string, number> = { health: 0.8, check: 0.6 };
  const rows = targets.map(({ name }, at) => ({ name, id: ids[at] ?? "", values: rates(name) }));
  printFigures([
    ...rows.slice(1).map(({ name, id, values: list }): Figure => {
      const min = wanted[id];
      const what = `${name} ÷ bare Fastify route, requests`;
      return {
        id: `${id}-ratio`,
        what,
        unit: "×",
        values: ratios(list, bareRates),
        min,
      };
    }),
    ...rows.map(({ name, id, values: list }): Figure => {
      return { id, what: name, unit: "/s", values: list };
    }),
    ...rows.map(({ name, id }): Figure => {
      const what = `${name}: processor time of a request`;
      return { id: `${id}-cpu`, what, unit: "µs", values: costs.get(name) ?? [] };
    }),
    {
      id: "hashed",
      what: "p99 of /api/health while sign-ins are hashed ÷ alone",
      unit: "×",
      values: ratios(
        beside.map((one) => one.p99),
        alone.map((one) => one.p99),
      ),
    },
  ]);
} finally {
  server.disconnect();
}
