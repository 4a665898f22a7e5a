/**
 * The public site of an installed instance beside nginx on the same files, in turn in the same run: the
 * home page and its style sheet, whole and unchanged (304), over few and many connections. Web alone and
 * front have their hooks and their log. nginx serves the precompressed form with one worker, as each of
 * them is one process, and writes no log; as shipped, it has the configuration that Vitrine writes.
 *
 *     node bench/http/static.ts [--seconds 2] [--rounds 5] [--connections 64,512]
 *
 * Needs nginx, better with its module for Brotli (libnginx-mod-http-brotli-static), and wrk.
 */
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeNginxRelease } from "../../packages/server/src/features/release/nginx-release.ts";
import { startInstance, type TestInstance } from "../../test/support/instance.ts";
import {
  nginxReleaseFile,
  startNginx as startShipped,
} from "../../test/support/reverse-proxies.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { type Figure, median, printFigures, ratios } from "../support/figures.ts";
import { type BenchServer, encodings, startNginx, workerOf } from "./nginx.ts";
import { wrk, type WrkResult, type WrkTarget } from "./wrk.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64,512" },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
/** Of nginx's requests per second for the home page, at least. */
const targets: Record<string, number> = { web: 0.4, "nginx as shipped": 0.95 };

/** The process below another one, or itself, that runs this file. */
function findProcess(parent: number, file: string): number | undefined {
  if (readFileSync(`/proc/${parent}/cmdline`, "utf8").includes(file)) return parent;
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
  for (const pid of children.filter(Boolean).map(Number)) {
    const found = findProcess(pid, file);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One process of an instance: only one of the instances here has it. */
function serverOf(instance: TestInstance, name: "web" | "front"): BenchServer {
  const pid = name === "web" ? instance.process("web").pid : findProcess(process.pid, "/front.ts");
  return {
    name,
    origin: instance.baseUrl,
    pid: pid ?? 0,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** nginx with the configuration that comes with Vitrine, its headers and its log. */
async function startShippedNginx(dir: string, { paths, baseUrl }: TestInstance) {
  await mkdir(dir);
  await writeNginxRelease(paths, nginxReleaseFile({ dir }));
  const upstream = Number(new URL(baseUrl).port);
  const nginx = await startShipped({ dir, data: paths.data, upstream });
  return {
    name: "nginx as shipped",
    origin: `http://127.0.0.1:${nginx.port}`,
    pid: workerOf(nginx.process),
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  };
}

interface BenchCase {
  id: string;
  name: string;
  path: string;
  headers: Record<string, string>;
  isUnchanged?: boolean;
}

async function casesOf(origin: string): Promise<BenchCase[]> {
  const home = await (await fetch(origin)).text();
  const style = /href="([^"]+\.css)"/.exec(home)?.[1] ?? "";
  const headers = { "accept-encoding": encodings };
  return [
    { id: "home", name: "home page, compressed", path: "/", headers },
    { id: "plain", name: "home page, not compressed", path: "/", headers: {} },
    { id: "unchanged", name: "home page, unchanged (304)", path: "/", headers, isUnchanged: true },
    { id: "style", name: "style sheet, compressed", path: style, headers },
  ];
}

async function targetOf(server: BenchServer, one: BenchCase): Promise<WrkTarget> {
  const url = server.origin + one.path;
  const headers = { ...one.headers };
  const first = await fetch(url, { headers });
  await first.arrayBuffer();
  if (!first.ok) throw new Error(`${server.name} answered ${first.status}`);
  if (one.isUnchanged) {
    headers["if-none-match"] = first.headers.get("etag") ?? "";
    const again = await fetch(url, { headers });
    if (again.status !== 304) throw new Error(`${server.name} answered ${again.status}, not 304`);
  }
  return { name: server.name, url, headers, pid: server.pid };
}

async function compare(
  servers: BenchServer[],
  one: BenchCase,
  connections: number,
): Promise<Figure[]> {
  const all = await Promise.all(servers.map((server) => targetOf(server, one)));
  const results = new Map<string, WrkResult[]>(all.map(({ name }) => [name, []]));
  for (const target of all) await wrk(target, connections, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? all : all.toReversed()) {
      results.get(target.name)?.push(await wrk(target, connections, seconds));
    }
  }
  const failures = [...results.values()]
    .flat()
    .reduce((sum, { failures: count }) => sum + count, 0);
  if (failures > 0) throw new Error(`${failures} requests of ${one.name} failed.`);
  const column = `${connections} connections`;
  const of = (name: string, pick: (one: WrkResult) => number) =>
    (results.get(name) ?? []).map(pick);
  return [...results.keys()].flatMap((name): Figure[] => {
    const id = `${one.id}-${name}-${connections}`;
    const rate = ({ perSecond }: WrkResult) => perSecond;
    const cost = ({ cpuMicroseconds }: WrkResult) => cpuMicroseconds;
    const title = `${one.name}: ${name}`;
    const plain: Figure[] = [
      { id: `${id}-rate`, what: title, column, unit: "/s", values: of(name, rate) },
      {
        id: `${id}-cpu`,
        what: `${title}: processor time`,
        column,
        unit: "µs",
        values: of(name, cost),
      },
    ];
    if (name === "nginx") return plain;
    const min = one.id === "home" ? targets[name] : undefined;
    const rates = ratios(of(name, rate), of("nginx", rate));
    const costs = ratios(of("nginx", cost), of(name, cost));
    const compared: Figure[] = [
      { id, what: `${title} ÷ nginx, requests/s`, column, unit: "×", values: rates, min },
      {
        id: `${id}-cpu-ratio`,
        what: `${title} ÷ nginx, requests per processor time`,
        column,
        unit: "×",
        values: costs,
      },
    ];
    return compared.concat(plain);
  });
}

const readyMs = 10 * 60_000;
const config = { qa: { intervalMinutes: 0 } };
await using folder = await tempFolder();
await using supervised = await startInstance({ config, readyMs });
await using apart = await startInstance({ config, readyMs, apart: true });
await using nginx = await startNginx(join(folder.path, "nginx"), supervised.paths.current);
await using shipped = await startShippedNginx(join(folder.path, "shipped"), supervised);
const servers = [nginx, serverOf(apart, "web"), serverOf(supervised, "front"), shipped];
const figures: Figure[] = [];
for (const connections of values.connections.split(",").map(Number)) {
  for (const one of await casesOf(nginx.origin)) {
    const found = await compare(servers, one, connections);
    console.table(
      found.map(({ what, column, unit, values: list }) => ({
        what,
        column,
        median: median(list),
        unit,
      })),
    );
    figures.push(...found);
  }
}
printFigures(figures);
