/**
 * Runs in a container of the image: builds a hostile site with the image's own program, in the best tier
 * that this container allows, and prints as JSON what the site achieved.
 */
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type * as Build from "../../packages/server/src/features/release/builder/build.ts";
import type * as Configuration from "../../packages/server/src/platform/config.ts";

/** What hostile pages did. */
export interface HostileResult {
  tier: string;
  reason: string | null;
  /** Each attempt with its outcome; `refused: …` if it failed. */
  attempts: Record<string, string>;
  /** Connections that reached a server in the same container. */
  connections: number;
  /** What a file outside the build contains afterwards, which anyone may write. */
  secret: string;
  bomb: {
    /** Why the build ended. */
    error: string;
    /** The most processes of the bomb at once, and those left after the build. */
    most: number;
    left: number;
    /** How long this process couldn't respond, in ms. */
    blockedMs: number;
  };
}

const source = "/opt/vitrine/packages/server/src";
const { makeSiteBuilder } = (await import(
  join(source, "features/release/builder/build.js")
)) as typeof Build;
const { defaultLimits } = (await import(
  join(source, "platform/config.js")
)) as typeof Configuration;

const dir = join(process.env["VITRINE_DIR"] ?? "", "hostile");
const content = join(dir, "content");
const secretFile = join(dir, "secret.txt");
const word = `bomb-${process.pid}`;
const log = { info() {}, warn() {} } as unknown as Parameters<typeof makeSiteBuilder>[0]["log"];
const clock = { now: Date.now, monotonic: () => performance.now() };
const snapshot = {
  site: { baseUrl: "https://example.com", ownerName: "Owner", timeZone: "UTC" },
  projects: [],
  changelog: [],
  redirects: [],
};

function page(code: string): string {
  return `---
import fs from "node:fs";
import net from "node:net";
import child_process from "node:child_process";
const attempt = async (work) => { try { return "done: " + await work(); } catch (error) { return "refused: " + (error.code ?? error.message); } };
const found = {};
${code}
---
<html lang="en"><body set:html={"<!--" + JSON.stringify(found) + "-->"} /></html>
`;
}

function attempts(port: number): string {
  return `
const connect = (options) => attempt(() => new Promise((done, failed) => { const s = net.connect(options, () => done("connected")); s.on("error", failed); s.setTimeout(2000, () => failed(new Error("timeout"))); }));
found["reads the data of the instance"] = await attempt(() => fs.readFileSync(${JSON.stringify(secretFile)}, "utf8"));
found["writes the data of the instance"] = await attempt(() => fs.appendFileSync(${JSON.stringify(secretFile)}, "x"));
found["lists the instance"] = await attempt(() => fs.readdirSync(${JSON.stringify(dir)}));
found["reads /etc/passwd"] = await attempt(() => fs.readFileSync("/etc/passwd", "utf8").length);
found["reads the secrets of the server's process"] = await attempt(() => { const all = fs.readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n)).map((n) => { try { return fs.readFileSync("/proc/" + n + "/environ", "utf8"); } catch { return ""; } }).join(""); if (!all.includes("MARKER")) throw new Error("not found"); return "found"; });
found["connects to this machine"] = await connect({ port: ${port}, host: "127.0.0.1" });
found["connects to another machine"] = await connect({ port: 53, host: "1.1.1.1" });
found["starts a program of the image"] = await attempt(() => child_process.execFileSync("/usr/bin/git", ["--version"]).toString().trim());
found["changes the program"] = await attempt(() => fs.appendFileSync("/opt/vitrine/package.json", " "));`;
}

const fork = `
const bomb = "/* ${word} */ const run = () => { try { const c = require('child_process').spawn(process.execPath, ['-e', process.argv[1], process.argv[1]], { detached: true, stdio: 'ignore' }); c.on('error', () => {}); } catch {} }; setInterval(run, 1)";
child_process.spawn(process.execPath, ["-e", bomb, bomb], { detached: true, stdio: "ignore" });
await new Promise(() => setInterval(() => {}, 1000));
`;

async function writePage(code: string): Promise<void> {
  await mkdir(join(content, "app/src/pages"), { recursive: true });
  await mkdir(join(content, "app/public"), { recursive: true });
  await writeFile(join(content, "app/src/pages/index.astro"), page(code));
}

/** Processes of the bomb. */
function bombs(): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`/* ${word}`)
      );
    } catch {
      return false;
    }
  }).length;
}

function makeBuilder(limits: Partial<typeof defaultLimits.build> = {}) {
  return makeSiteBuilder({
    paths: {
      artifacts: join(dir, "artifacts"),
      builders: join(dir, "builders"),
      compiledSites: join(dir, "compiled"),
    },
    limits: { ...defaultLimits.build, warm: false, ...limits },
    sandbox: "auto",
    log,
    clock,
  });
}

/** Starts processes until it is stopped; meanwhile, this process counts them. */
async function explode(): Promise<HostileResult["bomb"]> {
  const builder = await makeBuilder({ seconds: 15, processes: 48 });
  await writePage(fork);
  let most = 0;
  let blockedMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last - 100);
    most = Math.max(most, bombs());
    last = performance.now();
  }, 100);
  const error = await builder
    .build({ sourceDir: content, mediaDir: join(dir, "none"), snapshot })
    .then(
      () => "none",
      (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
    );
  clearInterval(timer);
  const left = bombs();
  await builder.close();
  return { error, most, left, blockedMs: Math.round(blockedMs) };
}

await rm(dir, { recursive: true, force: true });
await mkdir(dir, { recursive: true });
await writeFile(secretFile, "MARKER");
await chmod(secretFile, 0o666);
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const builder = await makeBuilder();
// The probe of a tier connects, too.
connections = 0;
await writePage(attempts((server.address() as AddressInfo).port));
const artifact = await builder.build({ sourceDir: content, mediaDir: join(dir, "none"), snapshot });
const html = await readFile(join(artifact.dir, "index.html"), "utf8");
const { tier, reason } = builder;
const result: HostileResult = {
  tier,
  reason,
  attempts: JSON.parse(/<!--(.*)-->/s.exec(html)?.[1] ?? "{}") as Record<string, string>,
  connections,
  secret: await readFile(secretFile, "utf8"),
  bomb: await explode(),
};
await builder.close();
server.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
