/**
 * Measures requests per second of a page and a hashed file of the public site against nginx with
 * the same files, alternating in the same run. nginx serves the precompressed files (gzip_static)
 * with one worker, because the web process is one process.
 *
 *     node bench/http/static.ts [--seconds 1.5] [--rounds 5] [--connections 16]
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import { tempFolder } from "../../test/support/temp.ts";
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
daemon off; pid ${dir}/nginx.pid; error_log stderr error; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on; gzip_static on;
  types { text/html html; text/css css; }
  client_body_temp_path ${dir}/n1; proxy_temp_path ${dir}/n2; fastcgi_temp_path ${dir}/n3; uwsgi_temp_path ${dir}/n4; scgi_temp_path ${dir}/n5;
  server { listen 127.0.0.1:${port}; root ${dir}/current; index index.html; }
}`;
}

async function main(): Promise<void> {
  await using folder = await tempFolder();
  await makeRelease(folder.path);
  const nginxPort = await freePort();
  await writeFile(join(folder.path, "nginx.conf"), nginxConfig(folder.path, nginxPort));
  const nginx = spawn("nginx", ["-c", join(folder.path, "nginx.conf")], { stdio: "inherit" });
  const server = fork(fileURLToPath(new URL("static-server.ts", import.meta.url)), [folder.path]);
  try {
    const [ready] = (await once(server, "message")) as [{ port: number }];
    await untilListening(nginxPort);
    const headers = { "accept-encoding": "gzip" };
    const targets: Target[] = ["/", "/_astro/style.abc.css"].flatMap((path) => [
      { name: `nginx ${path}`, port: nginxPort, path, headers, status: 200 },
      { name: `vitrine ${path}`, port: ready.port, path, headers, status: 200 },
    ]);
    const results = new Map<string, Load[]>(targets.map((target) => [target.name, []]));
    for (const target of targets) await load(target, connections, 500);
    for (let round = 0; round < rounds; round += 1) {
      for (const target of targets) {
        results.get(target.name)?.push(await load(target, connections, ms));
      }
    }
    const summary = targets.map(({ name }) => {
      const loads = results.get(name) ?? [];
      const of = (pick: (one: Load) => number) => Math.round(median(loads.map(pick)) * 100) / 100;
      return {
        name,
        perSecond: Math.round(of((l) => l.perSecond)),
        p50ms: of((l) => l.p50),
        p99ms: of((l) => l.p99),
      };
    });
    process.stdout.write(`${JSON.stringify({ connections, rounds, results: summary }, null, 2)}\n`);
  } finally {
    nginx.kill("SIGQUIT");
    server.disconnect();
  }
}

await main();
