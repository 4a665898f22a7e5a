/**
 * How long the public site takes to follow one save, from the request to the new release being
 * live (without the debounce): export, commit, build in the sandbox, artifact, release, all of it
 * durable. Beside it a plain build by Astro of the same pages from the same snapshot, which writes
 * files and no more. Turn by turn in one run, medians.
 *
 *   node bench/records/rebuild.ts [--sizes=10,1000,10000] [--rounds=5] [--steps]
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import pino from "pino";
import { makeSiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import { requestRebuild } from "../../packages/server/src/features/release/rebuild-requests.ts";
import { makePublisher } from "../../packages/server/src/features/release/publish.ts";
import { makeRebuilder } from "../../packages/server/src/features/release/rebuild.ts";
import { initialRelease } from "../../packages/server/src/features/release/current-symlink.ts";
import { exportRecords } from "../../packages/server/src/features/projects/export.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import { actorIdentity } from "../../packages/server/src/features/workspace/commit.ts";
import { mediaFolder } from "../../packages/server/src/features/workspace/content-paths.ts";
import { makeRepository } from "../../packages/server/src/features/workspace/git.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import {
  instancePaths,
  nodeBinary,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { seedProjects } from "./seed.ts";
import { copyTemplate } from "../../test/support/template.ts";

const allowed = 1.15;
const baseUrl = "https://example.com";
const owner = { name: "Ada", timeZone: "UTC" };
const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "10,1000,10000" },
    rounds: { type: "string", default: "5" },
    steps: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[middle] ?? 0];
  return (low + high) / 2;
}

/** Waits until earlier work is written to disk, so that it doesn't affect the next measurement. */
async function settle(): Promise<void> {
  await run("sync", []);
}

type Steps = Map<string, number[]>;

/** An instance with the template's content, its records and `size` more projects, and a release. */
async function openSite(dir: string, size: number, steps: Steps) {
  const paths = instancePaths(dir);
  const log = pino({ level: "warn" });
  await copyTemplate(paths.content);
  await mkdir(paths.data, { recursive: true });
  const repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log,
  });
  const author = actorIdentity("Vitrine");
  await initRepository(repository, { author, at: Date.now(), message: "Begin\n" });
  const database = openDatabase({ url: null, file: paths.database });
  await migrate({ database, now: Date.now() });
  const { db } = database;
  const file = join(paths.content, "database/projects.json");
  await importRecordsFile(db, { file, now: Date.now() });
  await seedProjects(db, size);
  const builder = await makeSiteBuilder({
    paths,
    limits: defaultLimits.build,
    sandbox: "auto",
    log,
    clock: systemClock,
  });
  let last = 0;
  const onStep = (name: string) => {
    const now = performance.now();
    const times = steps.get(name) ?? [];
    steps.set(name, [...times, now - last]);
    last = now;
  };
  const records = (seed: string | null) => exportSite(db, { baseUrl, owner }, { seed });
  const mediaDir = join(paths.content, mediaFolder);
  const first = { sourceDir: paths.content, ...(await records(null)), mediaDir };
  await initialRelease(paths, await builder.build(first));
  const publisher = makePublisher({
    db,
    repository,
    paths,
    clock: systemClock,
    log,
    hooks: { onPublished: async () => {}, onRolledBack: async () => {} },
    addChange: async () => {},
    onStep,
  });
  const rebuilder = makeRebuilder({
    db,
    repository,
    publisher,
    paths,
    builder,
    clock: systemClock,
    log,
    records,
    exportRecords: () => exportRecords(db),
    mediaDir,
    ownerName: owner.name,
    debounceMs: 0,
    onStep,
  });
  return {
    paths,
    builder,
    records,
    /** Saves one project and lets the site follow; the time until it is live, in ms. */
    async rebuild(round: number): Promise<number> {
      await builder.waitUntilWarm();
      await settle();
      const text = `Saved in round ${round}`;
      await db.transaction().execute(async (transaction) => {
        await sql`update project set summary = ${text} where slug = 'seeded-0'`.execute(
          transaction,
        );
        await requestRebuild(transaction, { reason: "a project was saved", now: Date.now() });
      });
      last = performance.now();
      const began = last;
      const outcome = await rebuilder.runOnce();
      const took = performance.now() - began;
      const page = await readFile(join(paths.current, "projects/seeded-0/index.html"), "utf8");
      if (outcome !== "done" || !page.includes(text)) {
        throw new Error(`The save is not live: ${JSON.stringify(await rebuilder.state())}`);
      }
      return took;
    },
    async close() {
      await rebuilder.close();
      await builder.close();
      publisher.close();
      repository.close();
      await database.close();
    },
  };
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** The same sources and snapshot for Astro alone, on the same disk. */
async function preparePlain(dir: string, site: Site): Promise<void> {
  await mkdir(dir);
  await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
  for (const folder of ["app", "brand", "database"]) {
    await cp(join(site.paths.content, folder), join(dir, folder), { recursive: true });
  }
}

async function plainBuild(dir: string, site: Site): Promise<number> {
  await writeFile(join(dir, "snapshot.json"), JSON.stringify((await site.records(null)).snapshot));
  await removeTree(join(dir, "out"));
  // The warm builder gets time to start before it is used.
  await site.builder.waitUntilWarm();
  await settle();
  const began = performance.now();
  const script = join(import.meta.dirname, "plain-build.ts");
  const result = await run(nodeBinary, [script, dir, join(dir, "out"), baseUrl], {
    cwd: dir,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: dir,
      NODE_ENV: "production",
      ASTRO_TELEMETRY_DISABLED: "1",
    },
    timeoutMs: 30 * 60_000,
  });
  const took = performance.now() - began;
  if (result.exitCode !== 0) throw new Error(`The plain build failed: ${result.stderr}`);
  return took;
}

async function measure(size: number) {
  await using folder = await tempFolder();
  const steps: Steps = new Map();
  const site = await openSite(join(folder.path, "instance"), size, steps);
  const plainDir = join(folder.path, "plain");
  await preparePlain(plainDir, site);
  const rebuilds: number[] = [];
  const plains: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) plains.push(await plainBuild(plainDir, site));
    rebuilds.push(await site.rebuild(round));
    if (round % 2 === 1) plains.push(await plainBuild(plainDir, site));
  }
  const count = async (dir: string) =>
    (await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".html")).length;
  const pages = await count(site.paths.current + "/");
  if (pages !== (await count(join(plainDir, "out"))))
    throw new Error("The pages are not the same.");
  await site.close();
  const [rebuild, plain] = [median(rebuilds), median(plains)];
  const perStep = [...steps].map(([name, times]) => [name, Math.round(median(times))]);
  return {
    projects: size,
    pages,
    rebuildMs: Math.round(rebuild),
    plainMs: Math.round(plain),
    ratio: Math.round((rebuild / plain) * 1000) / 1000,
    steps: Object.fromEntries(perStep) as Record<string, number>,
  };
}

const results = [];
for (const size of values.sizes.split(",").map(Number)) {
  const result = await measure(size);
  results.push(result);
  const { steps, ...shown } = result;
  console.table([shown]);
  if (values.steps) console.table(steps);
}
const met = results.every(({ ratio }) => ratio <= allowed);
console.log(`target: rebuild ÷ plain build ≤ ${allowed}: ${met ? "met" : "missed"}`);
console.log(JSON.stringify({ rounds, allowed, met, results }));
