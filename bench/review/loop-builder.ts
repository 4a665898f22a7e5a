import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "astro";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import {
  type Artifact,
  BuildFailed,
  type BuildJob,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { describeErrors } from "../../packages/server/src/features/release/builder/builder-errors.ts";
import {
  linkPublishedFiles,
  publishedImagesFolder,
} from "../../packages/server/src/features/release/builder/link-published-files.ts";
import type { Slot } from "../../packages/server/src/features/release/builder/sandbox-bounds.ts";
import { siteConfig } from "../../packages/server/src/features/release/builder/site-config.ts";
import { copySources } from "../../packages/server/src/features/release/builder/slot.ts";
import { writeSnapshot } from "../../packages/server/src/features/release/snapshot.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";

// The product starts a process for each build, because page code could leave anything behind in
// one. The cases of this folder are known, so one process builds many of them, with the same
// configuration, in a quarter of the time.

interface LoopJob {
  number: number;
  dir: string;
  baseUrl: string;
  shareImages: number;
}

interface LoopAnswer {
  number: number;
  errors: string[] | null;
}

const bounds = { bytes: 2 ** 30, files: 200_000 };
/** A process accumulates memory from earlier builds. */
const maxBuilds = 60;
const maxShareImages = 20;

const siteDir = (dir: string) => join(dir, "site");

async function execute({ number, dir, baseUrl, shareImages }: LoopJob): Promise<LoopAnswer> {
  const site = siteDir(dir);
  const places = { site, out: join(dir, `out-${number}`), temporary: join(dir, `cache-${number}`) };
  try {
    await build(
      siteConfig({
        root: join(site, "app"),
        outDir: places.out,
        cacheDir: places.temporary,
        snapshotFile: join(site, "snapshot.json"),
        baseUrl,
        published: join(site, publishedImagesFolder),
        shareImages,
        search: { publishedParts: [], keep() {} },
        logLevel: "silent",
      }),
    );
    return { number, errors: null };
  } catch (error) {
    return { number, errors: describeErrors(error, places) };
  }
}

/** The child process: one job per line, one after the other. */
async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const response = await execute(JSON.parse(line) as LoopJob);
    process.send?.(response);
  }
}

async function ask(child: ChildProcess, job: LoopJob): Promise<LoopAnswer> {
  const settled = new AbortController();
  const { signal } = settled;
  child.stdin?.write(`${JSON.stringify(job)}\n`);
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`the builder ended (${String(code)})`);
  });
  const response = once(child, "message", { signal }).then(([message]) => message as LoopAnswer);
  // Whichever comes second isn't awaited.
  ended.catch(() => {});
  response.catch(() => {});
  try {
    return await Promise.race([response, ended]);
  } finally {
    settled.abort();
  }
}

/**
 * Builds one site after the other in one process, below `dir`.
 * @param current link to the live release, whose share images are reused
 */
export function makeLoopBuilder(dir: string, artifactsDir: string, current: string): SiteBuilder {
  const slot: Slot = { dir, site: siteDir(dir), out: "", temporary: "", uid: null };
  let child: ChildProcess | null = null;
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function stop(): Promise<void> {
    if (child === null) return;
    const gone = once(child, "exit");
    child.stdin?.end();
    child = null;
    await gone;
  }

  async function start(): Promise<ChildProcess> {
    if (count % maxBuilds === 0) await stop();
    child ??= spawn(nodeBinary, [import.meta.filename, "--serve"], {
      cwd: dir,
      env: {
        PATH: "/usr/bin:/bin",
        HOME: dir,
        NODE_ENV: "production",
        ASTRO_TELEMETRY_DISABLED: "1",
      },
      stdio: ["pipe", "ignore", "ignore", "ipc"],
    });
    return child;
  }

  async function buildNext({ sourceDir, snapshot, mediaDir }: BuildJob): Promise<Artifact> {
    const began = performance.now();
    if (count === 0) {
      await mkdir(dir, { recursive: true });
      await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
    }
    const process = await start();
    count += 1;
    await removeTree(slot.site);
    await mkdir(join(slot.site, "app/.astro"), { recursive: true });
    await copySources(sourceDir, slot);
    await writeSnapshot(join(slot.site, "snapshot.json"), snapshot);
    await linkPublishedFiles(current, slot);
    const { baseUrl } = snapshot.site;
    const job = { number: count, dir, baseUrl, shareImages: maxShareImages };
    const { errors } = await ask(process, job);
    const outDir = join(dir, `out-${job.number}`);
    try {
      if (errors !== null) throw new BuildFailed(errors, errors.join("\n"));
      const stored = await storeArtifact({
        outDir,
        mediaDir,
        artifactsDir,
        bounds,
        redirects: { baseUrl, list: snapshot.redirects },
      });
      return { ...stored, reusedCode: false, durationMs: Math.round(performance.now() - began) };
    } finally {
      await removeTree(outDir);
      await removeTree(join(dir, `cache-${job.number}`));
    }
  }

  return {
    tier: "none",
    reason: "the cases of this bench are known",
    memory: "watched",
    tidy: () => Promise.resolve(),
    prepare: () => {},
    verifiedFiles: () => undefined,
    compileCode: async () => {},
    waitUntilWarm: () => Promise.resolve(),
    build(job: BuildJob) {
      const result = last.then(() => buildNext(job));
      last = result.catch(() => {});
      return result;
    },
    async close() {
      await last;
      await stop();
    },
  };
}

if (process.argv[1] === import.meta.filename && process.argv[2] === "--serve") await serve();
