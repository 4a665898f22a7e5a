import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { lookup } from "mrmime";
import { instancePaths, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { systemPath } from "../../packages/server/src/platform/process.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { pagesByAddress, pagesInFolder } from "./pages.ts";

/** A running site. */
export interface AuditedSite extends AsyncDisposable {
  base: string;
  /** Its pages, as paths. */
  pages(): Promise<string[]>;
}

/** A free port on the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

async function untilAnswered(base: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (child.exitCode === null && performance.now() < deadline) {
    const response = await fetch(base).catch(() => null);
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The web process does not answer.");
}

/** Installs the product into a temporary folder and serves its site with only its web process. */
export async function serveNewInstance(): Promise<AuditedSite> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-audit-"));
  const dir = join(folder, "instance");
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const env = {
    PATH: systemPath,
    HOME: folder,
    VITRINE_DIR: dir,
    PORT: String(port),
    BASE_URL: base,
    LOG_LEVEL: "warn",
  };
  const program = join(platformRoot, "packages/server/bin/vitrine");
  const install = spawnSync(program, ["install", "--yes"], { env, stdio: ["ignore", "ignore", 2] });
  if (install.status !== 0) throw new Error("The product does not install.");
  const web = spawn(program, ["web"], { env, stdio: ["ignore", "ignore", 2] });
  const onExit = () => {
    web.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", onExit);
  const end = async () => {
    process.off("exit", onExit);
    if (web.exitCode === null && web.kill()) await once(web, "exit");
    await removeTree(folder);
  };
  try {
    await untilAnswered(base, web);
  } catch (error) {
    await end();
    throw error;
  }
  const pages = () => pagesInFolder(instancePaths(dir).current);
  return { base, pages, [Symbol.asyncDispose]: end };
}

/** The file of a built site for a path, with its status. */
async function fileFor(folder: string, path: string): Promise<{ file: string; status: number }> {
  const clean = join("/", decodeURIComponent(path));
  for (const file of [clean, join(clean, "index.html"), `${clean.replace(/\/$/, "")}.html`]) {
    const found = await stat(join(folder, file)).catch(() => null);
    if (found?.isFile() === true) return { file: join(folder, file), status: 200 };
  }
  return { file: join(folder, "404.html"), status: 404 };
}

/** Serves a folder of a built site as a plain server would: compressed, nothing else. */
export async function serveFolder(folder: string): Promise<AuditedSite> {
  const server = createServer((request, response) => {
    void (async () => {
      const { file, status } = await fileFor(
        folder,
        new URL(request.url ?? "/", "http://x").pathname,
      );
      const body = await readFile(file).catch(() => Buffer.from("Not found"));
      const type = lookup(file) ?? "application/octet-stream";
      const isText = /^text\/|javascript|json|xml|svg/.test(type);
      const isText8 = isText && !type.includes("charset");
      response.writeHead(status, {
        "content-type": isText8 ? `${type}; charset=utf-8` : type,
        "cache-control": "public, max-age=600",
        ...(isText && { "content-encoding": "gzip" }),
      });
      response.end(isText ? gzipSync(body) : body);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://localhost:${port}`,
    pages: () => pagesInFolder(folder),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

/** A site that is served elsewhere. */
export function externalSite(base: string): AuditedSite {
  return { base, pages: () => pagesByAddress(base), async [Symbol.asyncDispose]() {} };
}
