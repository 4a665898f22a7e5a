/**
 * Runs Vitrine for development:
 *
 *   npm run dev -- [--port 3000] [--dir .dev]
 * Uses an instance of its own with a scripted model. Serves the console from its sources with hot
 * reload, restarts web and runner when their sources change, and rebuilds the site and reloads open
 * pages when the template changes.
 */
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { systemTools } from "../packages/server/src/platform/system-tools.ts";
import { buildConsole, ensureConsole } from "./console-build.ts";
import { makeBatches } from "./dev/batches.ts";
import { type DevInstance, openDevInstance } from "./dev/instance.ts";
import { startDevModel } from "./dev/model.ts";
import { type DevServer, startDevServer } from "./dev/server.ts";
import { isTemplateSource, syncTemplate } from "./dev/template-sync.ts";
import { ensureTools } from "./tools.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    dir: { type: "string", default: join(platformRoot, ".dev") },
  },
});

const serverDirs = ["packages/server/src", "packages/server/database", "packages/qa/src"].map(
  (dir) => join(platformRoot, dir),
);
const templateDir = join(platformRoot, "packages/template");
/** The built script for pages of previews, which the runner reads when it starts. */
const frameDir = join(platformRoot, "packages/console/src/frame");
const waitMs = 150;

function complain(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

const isBelow = (dir: string, file: string) => file.startsWith(`${dir}/`);
/** Tests are run by hand; a fixture belongs to a check's test. */
const isServerSource = (file: string) =>
  serverDirs.some((dir) => isBelow(dir, file)) && !/\.(?:test|fixture)\.ts$/.test(file);

/** Reacts to changed files; returns what stops that. */
function followChanges(server: DevServer, instance: DevInstance): () => Promise<void> {
  const restarts = makeBatches<string>(
    async (files) => {
      console.log("The server's source has changed: starting again …");
      if (files.some((file) => isBelow(frameDir, file))) buildConsole();
      await instance.restart();
    },
    { waitMs, onError: complain },
  );
  const rebuilds = makeBatches<string>(
    async (files) => {
      const folders = { templateDir, contentDir: instance.paths.content };
      if (!(await syncTemplate(files, folders))) return;
      console.log("The template has changed: building the site …");
      await instance.ready();
      await instance.vitrine(["rebuild", "--wait"]);
      server.reloadPages();
    },
    { waitMs, onError: complain },
  );
  const { watcher } = server.vite;
  watcher.add([...serverDirs, templateDir]);
  watcher.on("all", (_event, file) => {
    if (isServerSource(file) || isBelow(frameDir, file)) restarts.add(file);
    else if (isTemplateSource(templateDir, file)) rebuilds.add(file);
  });
  return async () => {
    await Promise.all([restarts.close(), rebuilds.close()]);
  };
}

async function main(): Promise<void> {
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await ensureTools(systemTools.filter((tool) => tool.need === "start"));
  ensureConsole();
  const port = Number(values.port);
  const dir = resolve(values.dir);
  const baseUrl = `http://localhost:${port}`;
  await using cleanup = new AsyncDisposableStack();
  const model = await startDevModel();
  cleanup.defer(() => model.close());
  const ports = { web: await freePort(), runner: await freePort() };
  console.log(`The development instance is in ${dir}.`);
  const instance = await openDevInstance({
    dir: join(dir, "instance"),
    baseUrl,
    ports,
    modelUrl: model.url,
  });
  cleanup.defer(() => instance.stop());
  const server = await startDevServer({
    port,
    webPort: ports.web,
    cacheDir: join(dir, "vite"),
    ready: () => instance.ready(),
  });
  cleanup.defer(() => server.close());
  cleanup.defer(followChanges(server, instance));
  const link = await instance.signInLink();
  await instance.restart();
  await Promise.race([instance.ready(), ended]);
  console.log(`\nVitrine serves ${baseUrl}\nSign in: ${link}\n`);
  await ended;
}

await main().catch((error: unknown) => {
  complain(error);
  process.exitCode = 1;
});
