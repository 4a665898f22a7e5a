/**
 * Measures the time from the last edit to a finished preview, with a live release, against a cold
 * `astro build` of the same content with the same configuration, alternating in the same run. The content
 * is that of `install`.
 *
 *     node bench/preview/run.ts [--rounds 7] [--pages 0]
 * `--pages` adds that many pages. Prints one line of JSON per round and a summary of medians.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { seedChangelogFile } from "../../packages/server/src/features/changelog/seed.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import { makeSiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { initialRelease } from "../../packages/server/src/features/release/current-symlink.ts";
import { exportSnapshot } from "../../packages/server/src/features/release/export.ts";
import type { Snapshot } from "../../packages/server/src/features/release/snapshot.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import {
  instancePaths,
  nodeBinary,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { makeTestDatabase } from "../../test/support/database.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { copyTemplate } from "../../test/support/template.ts";
import { median, printFigures, ratios } from "../support/figures.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    pages: { type: "string", default: "0" },
  },
});
const rounds = Number(values.rounds);
const template = join(platformRoot, "packages/template");
const site = { baseUrl: "https://example.com", owner: { name: "Owner", timeZone: "UTC" } };

async function templateSnapshot(): Promise<Snapshot> {
  await using test = await makeTestDatabase();
  const { db } = test.database;
  const now = Date.now();
  await importRecordsFile(db, { file: join(template, "database/projects.json"), now });
  const file = join(template, "database/changelog.json");
  await seedChangelogFile(db, { file, ownerName: site.owner.name, now });
  return await exportSnapshot(db, site);
}

async function addPages(content: string, count: number): Promise<void> {
  const source = await readFile(join(content, "app/src/pages/about.astro"), "utf8");
  for (let i = 0; i < count; i += 1) {
    await writeFile(join(content, `app/src/pages/extra-${i}.astro`), source);
  }
}

/**
 * A cold build is a process of its own, as on a developer's machine: the command of the Astro
 * package.
 */
async function coldBuild(content: string, work: string): Promise<number> {
  await Promise.all(
    ["out", "cache", "content/app/.astro"].map((name) => removeTree(join(work, name))),
  );
  const started = performance.now();
  const astro = join(platformRoot, "node_modules/astro/bin/astro.mjs");
  const child = spawn(nodeBinary, [astro, "build", "--silent", "--root", join(content, "app")], {
    stdio: "inherit",
    env: { PATH: process.env["PATH"], HOME: work, NO_COLOR: "1", ASTRO_TELEMETRY_DISABLED: "1" },
  });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`astro build ended with ${code}`);
  return performance.now() - started;
}

/** The configuration of our builds as a file that the command can load. */
async function writeConfig(content: string, work: string): Promise<void> {
  const module = join(platformRoot, "packages/server/src/features/release/builder/site-config.ts");
  const options = {
    root: join(content, "app"),
    outDir: join(work, "out"),
    cacheDir: join(work, "cache"),
    snapshotFile: join(work, "snapshot.json"),
    baseUrl: site.baseUrl,
  };
  await writeFile(
    join(content, "app/astro.config.mjs"),
    `import { siteConfig } from ${JSON.stringify(module)};\nconst { configFile, ...config } = siteConfig(${JSON.stringify(options)});\nexport default config;\n`,
  );
}

async function main(): Promise<void> {
  await using folder = await tempFolder();
  const paths = instancePaths(folder.path);
  const { content } = paths;
  const snapshot = await templateSnapshot();
  await copyTemplate(content);
  await symlink(join(platformRoot, "node_modules"), join(folder.path, "node_modules"));
  await addPages(content, Number(values.pages));
  await writeConfig(content, folder.path);
  await writeFile(join(folder.path, "snapshot.json"), JSON.stringify(snapshot));
  await mkdir(join(folder.path, "out"), { recursive: true });
  const builder = await makeSiteBuilder({
    paths,
    limits: defaultLimits.build,
    sandbox: "auto",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  const edited = join(content, "app/src/pages/about.astro");
  const original = await readFile(edited, "utf8");
  const preview: number[] = [];
  const cold: number[] = [];
  let pages = 0;
  const source = { sourceDir: content, snapshot, mediaDir: join(content, "app/public/media") };
  try {
    await initialRelease(paths, await builder.build({ ...source, isInBackground: true }));
    // The first of each warms the disk cache and doesn't count.
    for (let round = 0; round <= rounds; round += 1) {
      await builder.waitUntilWarm();
      await writeFile(edited, `${original}\n<p>Edit ${round}</p>\n`);
      const started = performance.now();
      const artifact = await builder.build(source);
      const ours = performance.now() - started;
      pages = artifact.pages;
      // The next warm builder starts now, so that it doesn't compete with the cold build.
      await builder.waitUntilWarm();
      const theirs = await coldBuild(content, folder.path);
      if (round === 0) continue;
      preview.push(ours);
      cold.push(theirs);
      const line = { round, previewMs: Math.round(ours), coldMs: Math.round(theirs) };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  } finally {
    await builder.close();
  }
  const result = {
    tier: builder.tier,
    pages,
    rounds,
    previewMs: Math.round(median(preview)),
    coldMs: Math.round(median(cold)),
    ratio: Math.round((median(preview) / median(cold)) * 1000) / 1000,
    target: 0.7,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const what = "edited page → preview";
  printFigures([
    {
      id: "ratio",
      what: `${what} ÷ cold astro build`,
      unit: "×",
      values: ratios(preview, cold),
      max: 0.7,
    },
    { id: "preview", what, unit: "ms", values: preview },
    { id: "cold", what: "cold astro build", unit: "ms", values: cold },
  ]);
}

await main();
