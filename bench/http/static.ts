/**
 * The public site beside nginx on the same files, in turn in the same run: a page and a style sheet, whole
 * and unchanged (304), over few and many connections. Web and front have their hooks and their log. nginx
 * serves the precompressed form with one worker, as each of them is one process, and writes no log.
 *
 *     node bench/http/static.ts [--seconds 2] [--rounds 5] [--connections 64,512] [--servers web,front]
 *
 * Needs nginx with its module for Brotli (libnginx-mod-http-brotli-static) and wrk.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import { writeNginxRelease } from "../../packages/server/src/features/release/nginx-release.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import {
  nginxReleaseFile,
  startNginx as startShipped,
} from "../../test/support/reverse-proxies.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { wrk, type WrkResult, type WrkTarget } from "./wrk.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64,512" },
    servers: { type: "string", default: "web,front" },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect({ port, host: "127.0.0.1" });
    const connected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await pause(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

/** A release with one page of 20 kB and one style sheet of 30 kB. */
async function makeRelease(dir: string): Promise<void> {
  const out = join(dir, "out");
  await mkdir(join(out, "_astro"), { recursive: true });
  const paragraphs = Array.from(
    { length: 200 },
    (_, i) => `<p>Paragraph ${i} of ${i * 7919}, ${"text ".repeat(14)}</p>`,
  );
  const html = `<!doctype html><html lang="en"><title>Page</title><body>${paragraphs.join("\n")}</body></html>`;
  await writeFile(join(out, "index.html"), html);
  const rules = Array.from(
    { length: 600 },
    (_, i) => `.rule-${i}{margin:${i}px;padding:${i * 3}px}`,
  );
  await writeFile(join(out, "_astro/style.abc.css"), rules.join("\n"));
  const artifact = await storeArtifact({
    outDir: out,
    mediaDir: join(dir, "none"),
    artifactsDir: join(dir, "artifacts"),
    bounds: { bytes: 2 ** 30, files: 1000 },
  });
  await mkdir(join(dir, "releases"));
  await cp(artifact.dir, join(dir, "releases/1"), { recursive: true });
  await cp(`${artifact.dir}.json`, join(dir, "releases/1.json"));
  await symlink("releases/1", join(dir, "current"));
}

function nginxConfig(dir: string, port: number): string {
  return `
load_module modules/ngx_http_brotli_static_module.so;
daemon off; pid ${dir}/nginx.pid; error_log stderr error; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
  gzip_static on; brotli_static on;
  types { text/html html; text/css css; }
  client_body_temp_path ${dir}/n1; proxy_temp_path ${dir}/n2; fastcgi_temp_path ${dir}/n3; uwsgi_temp_path ${dir}/n4; scgi_temp_path ${dir}/n5;
  server { listen 127.0.0.1:${port}; root ${dir}/current; index index.html; }
}`;
}

function workerOf({ pid = 0 }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
}

/** Who answers: the process itself, or nginx's worker. */
interface BenchServer {
  name: string;
  origin: string;
  pid: number;
  stop(): void;
}

async function startNginx(dir: string): Promise<BenchServer> {
  const port = await freePort();
  await writeFile(join(dir, "nginx.conf"), nginxConfig(dir, port));
  const nginx = spawn("nginx", ["-c", join(dir, "nginx.conf")], { stdio: "inherit" });
  await untilListening(port);
  return {
    name: "nginx",
    origin: `http://127.0.0.1:${port}`,
    pid: workerOf(nginx),
    stop: () => nginx.kill("SIGQUIT"),
  };
}

/** nginx with the configuration that comes with Vitrine, its headers and its log. */
async function startShippedNginx(folder: string, upstream: number): Promise<BenchServer> {
  const dir = join(folder, "shipped");
  await mkdir(dir);
  const places = { current: join(folder, "current"), releases: join(folder, "releases") };
  await writeNginxRelease({ ...instancePaths(folder), ...places }, nginxReleaseFile({ dir }));
  const nginx = await startShipped({ dir, data: folder, upstream });
  return {
    name: "nginx as shipped",
    origin: `http://127.0.0.1:${nginx.port}`,
    pid: workerOf(nginx.process),
    stop: () => void nginx[Symbol.asyncDispose](),
  };
}

const programs: Record<string, string> = { web: "static-server.ts", front: "front-server.ts" };

/** Starts one of ours, with its log in a file. */
async function startOwn(name: string, dir: string): Promise<BenchServer> {
  const program = fileURLToPath(new URL(programs[name] ?? "", import.meta.url));
  const log = openSync(join(dir, `${name}.log`), "a");
  const child: ChildProcess = fork(program, [dir], {
    stdio: ["ignore", "inherit", log, "ipc"],
    execArgv: ["--max-semi-space-size=8"],
  });
  const [ready] = (await once(child, "message")) as [{ port: number }];
  return {
    name,
    origin: `http://127.0.0.1:${ready.port}`,
    pid: child.pid ?? 0,
    stop: () => child.disconnect(),
  };
}

interface BenchCase {
  name: string;
  path: string;
  headers: Record<string, string>;
  isUnchanged?: boolean;
}

const cases: BenchCase[] = [
  { name: "page, br", path: "/", headers: { "accept-encoding": "gzip, deflate, br" } },
  { name: "page, plain", path: "/", headers: {} },
  { name: "page, 304", path: "/", headers: { "accept-encoding": "br" }, isUnchanged: true },
  { name: "asset, br", path: "/_astro/style.abc.css", headers: { "accept-encoding": "br" } },
];

async function targetOf(server: BenchServer, one: BenchCase): Promise<WrkTarget> {
  const url = server.origin + one.path;
  const headers = { ...one.headers };
  if (one.isUnchanged) {
    const first = await fetch(url, { headers });
    await first.arrayBuffer();
    headers["if-none-match"] = first.headers.get("etag") ?? "";
    const again = await fetch(url, { headers });
    if (again.status !== 304) throw new Error(`${server.name} answered ${again.status}, not 304`);
  }
  return { name: server.name, url, headers, pid: server.pid };
}

function round2(number: number): number {
  return Math.round(number * 100) / 100;
}

function summarize(name: string, own: WrkResult[], nginx: WrkResult[]) {
  const of = (pick: (one: WrkResult) => number) => round2(median(own.map(pick)));
  return {
    name,
    perSecond: Math.round(of((one) => one.perSecond)),
    timesNginxCpu: round2(
      median(nginx.map((one) => one.cpuMicroseconds)) /
        median(own.map((one) => one.cpuMicroseconds)),
    ),
    // Per round, because the machine's other load changes from round to round.
    timesNginx: round2(
      median(own.map((one, at) => one.perSecond / (nginx[at]?.perSecond ?? Number.NaN))),
    ),
    cpuMicroseconds: of((one) => one.cpuMicroseconds),
    p99ms: of((one) => one.p99ms),
    failures: own.reduce((sum, one) => sum + one.failures, 0),
  };
}

async function compare(servers: BenchServer[], one: BenchCase, connections: number) {
  const targets = await Promise.all(servers.map((server) => targetOf(server, one)));
  const results = new Map<string, WrkResult[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await wrk(target, connections, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      results.get(target.name)?.push(await wrk(target, connections, seconds));
    }
  }
  const nginx = results.get("nginx") ?? [];
  return [...results].map(([name, own]) => summarize(name, own, nginx));
}

async function main(): Promise<void> {
  await using folder = await tempFolder();
  await makeRelease(folder.path);
  const servers = [await startNginx(folder.path)];
  try {
    for (const name of values.servers.split(",")) servers.push(await startOwn(name, folder.path));
    const upstream = Number(new URL(servers.at(-1)?.origin ?? "").port);
    servers.push(await startShippedNginx(folder.path, upstream));
    for (const connections of values.connections.split(",").map(Number)) {
      for (const one of cases) {
        process.stdout.write(`\n${one.name}, ${connections} connections\n`);
        console.table(await compare(servers, one, connections));
      }
    }
  } finally {
    for (const server of servers) server.stop();
  }
}

await main();
