/**
 * How long the public site takes to follow one save, from the request to the new release being
 * live (without the debounce): export, commit, build in the sandbox, artifact, release, all of it
 * durable. Beside it a plain build by Astro of the same pages from the same snapshot, which writes
 * files and no more. Turn by turn in one run, medians.
 *
 *   node bench/records/rebuild.ts [--sizes=10,1000,10000] [--rounds=5] [--steps]
 */
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { baseUrl, openSite, settle, type Site, type Steps } from "./site.ts";

const allowed = 1.15;
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
  const site = await openSite(join(folder.path, "instance"), size, { steps });
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
