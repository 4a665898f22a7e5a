/**
 * How long `vitrine backup` takes for a site with many projects, beside `tar czf` of the same
 * files. A backup also collects the files at one moment, dumps the database, hashes every file,
 * and syncs the archive to disk. Both are whole programs, turn by turn in one run; times are
 * medians, and processor times include all child processes.
 *
 *   node bench/backup/run.ts [--sizes=1000] [--rounds=7] [--database=sqlite|postgres] [--keep=DIR]
 *
 * With `--keep`, the site is made in this folder, and a later run uses it again; only with SQLite.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exists, removeTree } from "../../packages/server/src/platform/files.ts";
import { instancePaths, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { createKeys } from "../../packages/server/src/platform/secrets.ts";
import { startDialect } from "../../test/support/postgres.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { type Figure, median, printFigures, ratios } from "../support/figures.ts";
import { baseUrl, openSite, settle } from "../records/site.ts";

const allowed = 1.5;
const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "7" },
    database: { type: "string", default: "sqlite" },
    keep: { type: "string" },
  },
});
if (values.keep !== undefined && values.database !== "sqlite") {
  throw new Error("--keep needs SQLite: the PostgreSQL server ends with this program.");
}
const rounds = Number(values.rounds);
const ticksPerSecond = 100;

/** Processor time of all child processes that have ended, in ms. */
function childrenCpu(): number {
  const line = readFileSync("/proc/self/stat", "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[13]) + Number(fields[14])) / ticksPerSecond) * 1000;
}

interface Took {
  wall: number;
  cpu: number;
}

async function timed(command: string, args: string[], env: Record<string, string>): Promise<Took> {
  await settle();
  const cpu = childrenCpu();
  const began = performance.now();
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
  return { wall: performance.now() - began, cpu: childrenCpu() - cpu };
}

async function makeSite(dir: string, size: number, url: string | null): Promise<void> {
  const site = await openSite(dir, size, { url });
  await createKeys(site.paths.keys);
  await writeFile(site.paths.configFile, JSON.stringify({ baseUrl }));
  await site.close();
  await writeFile(site.paths.installLock, "{}\n");
}

const figures: Figure[] = [];

function figuresOf(size: number, times: Record<"backup" | "tar", Took[]>): Figure[] {
  const column = `${size.toLocaleString("en")} projects`;
  const of = (what: "backup" | "tar", kind: keyof Took) => times[what].map((took) => took[kind]);
  const pair = (kind: keyof Took) => ratios(of("backup", kind), of("tar", kind));
  const what = "vitrine backup ÷ tar czf";
  return [
    { id: `ratio-${size}`, what, column, unit: "×", values: pair("wall"), max: allowed },
    { id: `cpu-${size}`, what: `${what}: processor time`, column, unit: "×", values: pair("cpu") },
    {
      id: `backup-${size}`,
      what: "vitrine backup",
      column,
      unit: "ms",
      values: of("backup", "wall"),
    },
    { id: `tar-${size}`, what: "tar czf", column, unit: "ms", values: of("tar", "wall") },
  ];
}

async function measureIn(root: string, size: number, url: string | null) {
  const [dir, same] = [join(root, "instance"), join(root, "same")];
  if (!(await exists(instancePaths(dir).installLock))) {
    await mkdir(dir, { recursive: true });
    await makeSite(dir, size, url);
  }
  const env = { VITRINE_DIR: dir, ...(url === null ? {} : { DATABASE_URL: url }) };
  const [ours, theirs] = [join(root, "ours.tar.gz"), join(root, "tar.tar.gz")];
  const bin = join(platformRoot, "packages/server/bin/vitrine");
  const backup = () => timed(bin, ["backup", ours, "--force"], env);
  const tar = () => timed("tar", ["czf", theirs, "-C", same, "."], {});
  await backup();
  await removeTree(same);
  await mkdir(same);
  const unpacked = await run("tar", ["xzf", ours, "-C", same]);
  if (unpacked.exitCode !== 0) throw new Error(unpacked.stderr);
  await tar();
  const times = { backup: [] as Took[], tar: [] as Took[] };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) times.tar.push(await tar());
    times.backup.push(await backup());
    if (round % 2 === 1) times.tar.push(await tar());
  }
  const of = (what: keyof typeof times, kind: keyof Took) =>
    median(times[what].map((took) => took[kind]));
  const ratio = (kind: keyof Took) => {
    const pairs = times.backup.map((took, i) => took[kind] / (times.tar[i]?.[kind] ?? Number.NaN));
    return Math.round(median(pairs) * 100) / 100;
  };
  const files = (await readdir(same, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  figures.push(...figuresOf(size, times));
  const mib = async (file: string) => Math.round(((await stat(file)).size / 2 ** 20) * 10) / 10;
  return {
    database: url === null ? "sqlite" : "postgres",
    projects: size,
    files: files.length,
    backupMiB: await mib(ours),
    tarMiB: await mib(theirs),
    backupMs: Math.round(of("backup", "wall")),
    tarMs: Math.round(of("tar", "wall")),
    ratio: ratio("wall"),
    backupCpuMs: Math.round(of("backup", "cpu")),
    tarCpuMs: Math.round(of("tar", "cpu")),
    cpuRatio: ratio("cpu"),
  };
}

async function measure(size: number) {
  const maker = values.database === "postgres" ? await startDialect("postgres") : null;
  try {
    const url = maker === null ? null : (await maker.make()).address.url;
    if (values.keep !== undefined) return await measureIn(join(values.keep, `${size}`), size, url);
    await using folder = await tempFolder();
    return await measureIn(folder.path, size, url);
  } finally {
    await maker?.close();
  }
}

const results = [];
for (const size of values.sizes.split(",").map(Number)) results.push(await measure(size));
console.table(results);
const met = results.every(({ ratio }) => ratio <= allowed);
console.log(`target: backup ÷ tar czf ≤ ${allowed}: ${met ? "met" : "missed"}`);
console.log(JSON.stringify({ rounds, allowed, met, results }));
printFigures(figures);
