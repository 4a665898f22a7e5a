/**
 * What an owner waits for as a site grows, over HTTP on an installed instance: the preview of an edited
 * word, the publish of it, and a saved record being live. Also the disk that a publish takes, and beside
 * it all a plain build by Astro of the same sources and records. Medians, and processor seconds, which
 * on a busy machine say more than the time.
 *
 *   node bench/growth/run.ts [--sizes=6,100,1000] [--rounds=5]
 */
import { cp, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Manifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { type AdminClient, signIn } from "../../test/support/client.ts";
import { startInstance, type TestInstance } from "../../test/support/instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { seedProjects } from "../records/seed.ts";
import { diskBytes } from "./disk.ts";
import { watchProcessorTime } from "./processor-time.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "6,100,1000" },
    rounds: { type: "string", default: "5" },
  },
});
const rounds = Number(values.rounds);
/** What the template has. */
const sampleProjects = 6;
/** Milliseconds that may pass, by number of projects. */
const targets: Record<number, Record<string, number>> = {
  6: { preview: 1000, publish: 150, save: 1200 },
  1000: { preview: 2500, publish: 300, save: 3000 },
};

const processors = watchProcessorTime();

interface Measured {
  ms: number;
  cpuSeconds: number;
}

async function until(test: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10 * 60_000;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error("What was measured did not end.");
    await delay(10);
  }
}

async function measured(task: () => Promise<void>): Promise<Measured> {
  const [before, started] = [processors.seconds(), performance.now()];
  await task();
  const ms = performance.now() - started;
  return { ms, cpuSeconds: processors.seconds() - before };
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Waits until nothing is pending, all share images are drawn, and builders are ready again. */
async function settle({ paths }: TestInstance): Promise<void> {
  await until(async () => {
    const release = await realpath(paths.current);
    const manifest = JSON.parse(await readFile(`${release}.json`, "utf8")) as Manifest;
    return manifest.lacksShareImages !== true;
  });
  let before = processors.seconds();
  await until(async () => {
    await delay(1000);
    const now = processors.seconds();
    const isQuiet = now - before < 0.2;
    before = now;
    return isQuiet;
  });
  await run("sync", []);
}

async function grow(instance: TestInstance, size: number): Promise<void> {
  if (size > sampleProjects) {
    await instance.stop();
    const database = openDatabase({ url: null, file: instance.paths.database });
    await seedProjects(database.db, size - sampleProjects);
    await database.close();
    await instance.start();
  }
  await instance.vitrine(["rebuild", "--wait"]);
}

const textOf = async (url: string) => (await fetch(url)).text();

/** Edits a word of the home page, and publishes that. */
async function editAndPublish(instance: TestInstance, admin: AdminClient, round: number) {
  const word = (number: number) => (number === 0 ? "dull" : `calm${number}`);
  let runId = "";
  await settle(instance);
  const preview = await measured(async () => {
    runId = await admin.start(`replace "${word(round)}" with "${word(round + 1)}" on /`);
    await until(async () => {
      const { data } = await admin.get<Run>(`/devconsole/runs/${runId}`);
      if (data.status === "failed") throw new Error(JSON.stringify(data));
      return data.status === "preview_ready";
    });
  });
  await settle(instance);
  const before = diskBytes(instance.paths.data);
  const publish = await measured(async () => {
    const answer = admin.post("/devconsole/publish", { runId });
    await until(async () => (await textOf(`${instance.baseUrl}/`)).includes(word(round + 1)));
    await answer;
  });
  return { preview, publish, diskBytes: diskBytes(instance.paths.data) - before };
}

/** Saves the text of a project. */
async function save(instance: TestInstance, admin: AdminClient, round: number): Promise<Measured> {
  const slug = "akero-village-archive";
  await settle(instance);
  const { data } = await admin.get<Record<string, unknown>>(`/api/adminprojects/get?slug=${slug}`);
  const text = `Saved in round ${round}.`;
  const body = `${String(data["body"])}\n\n${text}`;
  return measured(async () => {
    const { id, version } = data;
    const answer = await admin.post("/api/adminprojects/save", { id, version, body });
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    const url = `${instance.baseUrl}/projects/${slug}/`;
    await until(async () => (await textOf(url)).includes(text));
  });
}

/** The same sources and records, built by Astro alone. */
async function plainBuild(instance: TestInstance, dir: string): Promise<Measured> {
  await removeTree(dir);
  await mkdir(dir);
  await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
  for (const folder of ["app", "brand"]) {
    await cp(join(instance.paths.content, folder), join(dir, folder), { recursive: true });
  }
  const database = openDatabase({ url: null, file: instance.paths.database });
  const owner = { name: "Ada", timeZone: "UTC" };
  const { snapshot } = await exportSite(database.db, { baseUrl: instance.baseUrl, owner });
  await database.close();
  await writeFile(join(dir, "snapshot.json"), JSON.stringify(snapshot));
  await settle(instance);
  return measured(async () => {
    const script = join(import.meta.dirname, "../records/plain-build.ts");
    const result = await run(nodeBinary, [script, dir, join(dir, "out"), instance.baseUrl], {
      cwd: dir,
      env: { PATH: "/usr/bin:/bin", HOME: dir, NODE_ENV: "production" },
      timeoutMs: 10 * 60_000,
    });
    if (result.exitCode !== 0) throw new Error(result.stderr);
  });
}

function summary(all: Measured[]) {
  return {
    ms: Math.round(median(all.map(({ ms }) => ms))),
    cpuSeconds: Math.round(median(all.map(({ cpuSeconds }) => cpuSeconds)) * 100) / 100,
  };
}

async function measureSize(size: number) {
  await using folder = await tempFolder();
  const config = { limits: { build: { shareImages: size + 100 } } };
  await using instance = await startInstance({ warm: true, config });
  await grow(instance, size);
  const admin = await signIn(instance);
  const all: Record<"preview" | "publish" | "save" | "plain", Measured[]> = {
    preview: [],
    publish: [],
    save: [],
    plain: [],
  };
  const disk: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const edited = await editAndPublish(instance, admin, round);
    all.preview.push(edited.preview);
    all.publish.push(edited.publish);
    disk.push(edited.diskBytes);
    all.save.push(await save(instance, admin, round));
    all.plain.push(await plainBuild(instance, join(folder.path, "plain")));
  }
  const times = Object.entries(all).map(([name, each]) => [name, summary(each)] as const);
  console.log(`${size} projects; a publish takes ${Math.round(median(disk) / 1024)} KiB on disk`);
  console.table(Object.fromEntries(times));
  return { size, ...Object.fromEntries(times), publishDiskBytes: median(disk) };
}

const results = [];
for (const size of values.sizes.split(",").map(Number)) results.push(await measureSize(size));
const missed = results.flatMap((result) =>
  Object.entries(targets[result.size] ?? {}).filter(([name, ms]) => {
    const found = (result as unknown as Record<string, Measured>)[name];
    return found !== undefined && found.ms > ms;
  }),
);
console.log(`targets: ${missed.length === 0 ? "met" : `missed: ${JSON.stringify(missed)}`}`);
console.log(JSON.stringify({ rounds, results }));
processors.stop();
