/**
 * How long the public site takes to follow a change, from the request to the new release being live
 * (without the debounce): export, commit, build in the sandbox, artifact, release, all of it durable. One
 * record was saved, or every page's code was changed, so that nothing can be used again. Beside it a
 * plain build by Astro of the same pages from the same snapshot, which writes files and no more, and one
 * with the same index for searching and the same compressed files. All take turns in one run.
 *
 *   node bench/records/rebuild.ts [--sizes=1000] [--rounds=5] [--steps]
 */
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { type Figure, median, printFigures, ratios } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import { baseUrl, openSite, settle, type Site, type Steps } from "./site.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    steps: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
/** Of Astro's plain build. */
const allowed = { full: 1.1, record: 0.25 };
const processes = watchProcesses();

interface Measured {
  ms: number;
  cpuSeconds: number;
}

type Way = "record" | "full" | "plain" | "complete";

const titles: Record<Way, string> = {
  record: "one record was saved",
  full: "every page was changed",
  plain: "Astro alone",
  complete: "Astro, search index, compressed files",
};

async function measured(task: () => Promise<void>): Promise<Measured> {
  const [before, started] = [processes.cpuSeconds(), performance.now()];
  await task();
  const ms = performance.now() - started;
  return { ms, cpuSeconds: processes.cpuSeconds() - before };
}

/** The same sources and snapshot for Astro alone, on the same disk. */
async function preparePlain(dir: string, site: Site): Promise<void> {
  await mkdir(dir);
  await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
  for (const folder of ["app", "brand", "database"]) {
    await cp(join(site.paths.content, folder), join(dir, folder), { recursive: true });
  }
}

async function plainBuild(
  dir: string,
  site: Site,
  extent: "plain" | "complete",
): Promise<Measured> {
  await writeFile(join(dir, "snapshot.json"), JSON.stringify((await site.records(null)).snapshot));
  await removeTree(join(dir, "out"));
  // The warm builder gets time to start before it is used.
  await site.builder.waitUntilWarm();
  await settle();
  return measured(async () => {
    const script = join(import.meta.dirname, "plain-build.ts");
    const result = await run(nodeBinary, [script, dir, join(dir, "out"), baseUrl, extent], {
      cwd: dir,
      env: {
        PATH: "/usr/bin:/bin",
        HOME: dir,
        NODE_ENV: "production",
        ASTRO_TELEMETRY_DISABLED: "1",
      },
      timeoutMs: 30 * 60_000,
    });
    if (result.exitCode !== 0) throw new Error(`The plain build failed: ${result.stderr}`);
  });
}

async function ownBuild(
  site: Site,
  prepare: () => Promise<() => Promise<void>>,
): Promise<Measured> {
  const follow = await prepare();
  await site.builder.waitUntilWarm();
  await settle();
  return measured(follow);
}

async function countPages(dir: string): Promise<number> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => name.endsWith(".html")).length;
}

async function measure(size: number) {
  await using folder = await tempFolder();
  const steps: Steps = new Map();
  const site = await openSite(join(folder.path, "instance"), size, { steps });
  const dir = join(folder.path, "plain");
  await preparePlain(dir, site);
  const found: Record<Way, Measured[]> = { record: [], full: [], plain: [], complete: [] };
  const ways: Record<Way, (round: number) => Promise<Measured>> = {
    record: (round) => ownBuild(site, () => site.saveRecord(round)),
    plain: () => plainBuild(dir, site, "plain"),
    full: (round) => ownBuild(site, () => site.changeLayout(round)),
    complete: () => plainBuild(dir, site, "complete"),
  };
  const names = Object.keys(ways) as Way[];
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      found[name].push(await ways[name](round));
    }
  }
  const pages = await countPages(`${site.paths.current}/`);
  if (pages !== (await countPages(join(dir, "out"))))
    throw new Error("The pages are not the same.");
  await site.close();
  const perStep = [...steps].map(([name, times]) => [name, Math.round(median(times))]);
  if (values.steps) console.table(Object.fromEntries(perStep));
  return { size, found };
}

type SizeResult = Awaited<ReturnType<typeof measure>>;

function figuresOf({ size, found }: SizeResult): Figure[] {
  const cpu = (way: Way) => found[way].map(({ cpuSeconds }) => cpuSeconds);
  const ms = (way: Way) => found[way].map((one) => one.ms);
  const column = `${size.toLocaleString("en")} projects`;
  const ratio = (id: string, own: Way, peer: Way, max?: number): Figure[] => {
    const what = `${titles[own]} ÷ ${titles[peer]}`;
    return [
      {
        id: `${id}-${size}`,
        what,
        column,
        unit: "×",
        values: ratios(ms(own), ms(peer)),
        max,
      },
      {
        id: `${id}-cpu-${size}`,
        what: `${what}: processor time`,
        column,
        unit: "×",
        values: ratios(cpu(own), cpu(peer)),
      },
    ];
  };
  return [
    ...ratio("full", "full", "plain", allowed.full),
    ...ratio("full-equal", "full", "complete"),
    ...ratio("record", "record", "plain", allowed.record),
    ...(Object.keys(titles) as Way[]).flatMap((way): Figure[] => [
      { id: `${way}-ms-${size}`, what: titles[way], column, unit: "ms", values: ms(way) },
      {
        id: `${way}-cpu-s-${size}`,
        what: `${titles[way]}: processor time`,
        column,
        unit: "s",
        values: cpu(way),
      },
    ]),
  ];
}

const figures: Figure[] = [];
for (const size of values.sizes.split(",").map(Number)) {
  const result = figuresOf(await measure(size));
  console.table(
    result.map(({ what, unit, values: list }) => ({ what, median: median(list), unit })),
  );
  figures.push(...result);
}
processes.stop();
printFigures(figures);
