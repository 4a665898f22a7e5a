/** What the owner of an installed instance does and waits for, over HTTP. */
import { readFile, realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Manifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import type { AdminClient } from "../../test/support/client.ts";
import type { TestInstance } from "../../test/support/instance.ts";
import { seedProjects } from "../records/seed.ts";
import type { ProcessWatch } from "../support/process-watch.ts";
import { addedBytes, readDisk } from "./disk.ts";

/** What the template has. */
const sampleProjects = 6;
/** Nothing that is measured takes this long on the slowest machine, in ms. */
const maxWaitMs = 60 * 60_000;
const maxRepeats = 3;
/** Folders of the instance that are there only while something is built or started. */
const passing = ["builders", "compile-cache"];
const builderProgram = "release/builder/builder.ts";

/** What one step took. */
export interface Measured {
  ms: number;
  cpuSeconds: number;
  /** The most memory of one of the watched processes. */
  peakMiB: number;
}

export interface OwnerDependencies {
  instance: TestInstance;
  admin: AdminClient;
  processes: ProcessWatch;
}

async function until(what: string, pauseMs: number, test: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!(await onNextConnection(test))) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await delay(pauseMs);
  }
}

/** Asks again if the connection was closed while nothing was sent, which a busy client notices late. */
async function onNextConnection<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof TypeError) || attempt === maxRepeats) throw error;
    }
  }
}

/** Measures a task and the memory of those processes that `program` names. */
export async function measured(
  processes: ProcessWatch,
  program: string,
  task: () => Promise<void>,
): Promise<Measured> {
  processes.watchMemory(program);
  const [before, started] = [processes.cpuSeconds(), performance.now()];
  await task();
  const ms = performance.now() - started;
  const cpuSeconds = processes.cpuSeconds() - before;
  return { ms, cpuSeconds, peakMiB: processes.peakMiB() };
}

/** Waits until nothing is pending, all share images are drawn, and builders are ready again. */
export async function settle({ paths }: TestInstance, processes: ProcessWatch): Promise<void> {
  await until("the share images", 250, async () => {
    const release = await realpath(paths.current);
    const manifest = JSON.parse(await readFile(`${release}.json`, "utf8")) as Manifest;
    return manifest.lacksShareImages !== true;
  });
  let before = processes.cpuSeconds();
  await until("a quiet moment", 1000, async () => {
    const now = processes.cpuSeconds();
    const isQuiet = now - before < 0.2;
    before = now;
    return isQuiet;
  });
  await run("sync", []);
}

/** Adds projects up to that number, and builds the site with all of them. */
export async function grow(
  instance: TestInstance,
  processes: ProcessWatch,
  size: number,
): Promise<Measured> {
  if (size > sampleProjects) {
    await instance.stop();
    const database = openDatabase({ url: null, file: instance.paths.database });
    await seedProjects(database.db, size - sampleProjects);
    await database.close();
    await instance.start();
  }
  const { current } = instance.paths;
  const before = await realpath(current);
  return measured(processes, builderProgram, async () => {
    await instance.vitrine(["rebuild"]);
    // Without new projects nothing changes. The command itself waits for ten minutes at most.
    if (size <= sampleProjects) return;
    await until("the first build", 250, async () => (await realpath(current)) !== before);
  });
}

const textOf = async (url: string) => (await fetch(url)).text();
const word = (number: number) => (number === 0 ? "dull" : `calm${number}`);

/** Edits a word of the home page until the preview is ready. */
async function edit({ admin }: OwnerDependencies, round: number): Promise<string> {
  const instruction = `replace "${word(round)}" with "${word(round + 1)}" on /`;
  const runId = await onNextConnection(() => admin.start(instruction));
  await until("the preview", 20, async () => {
    const { data } = await admin.get<Run>(`/devconsole/runs/${runId}`);
    if (data.status === "failed") throw new Error(JSON.stringify(data));
    return data.status === "preview_ready";
  });
  return runId;
}

/** Edits a word of the home page, and publishes that. */
export async function editAndPublish(deps: OwnerDependencies, round: number) {
  const { instance, admin, processes } = deps;
  let runId = "";
  await settle(instance, processes);
  const beforePreview = readDisk(instance.dir, passing);
  const preview = await measured(processes, builderProgram, async () => {
    runId = await edit(deps, round);
  });
  await settle(instance, processes);
  const before = readDisk(instance.dir, passing);
  const added = addedBytes(beforePreview, before);
  const publish = await measured(processes, builderProgram, async () => {
    const answer = onNextConnection(() => admin.post("/devconsole/publish", { runId }));
    const isLive = async () => (await textOf(`${instance.baseUrl}/`)).includes(word(round + 1));
    await until("the published page", 5, isLive);
    await answer;
  });
  const disk = addedBytes(before, readDisk(instance.dir, passing));
  return { preview, publish, disk, previewBytes: added.files + added.folders };
}

/** Saves the text of a project until it is live. */
export async function save(deps: OwnerDependencies, round: number): Promise<Measured> {
  const { instance, admin, processes } = deps;
  const slug = "akero-village-archive";
  await settle(instance, processes);
  const path = `/api/adminprojects/get?slug=${slug}`;
  const { data } = await onNextConnection(() => admin.get<Record<string, unknown>>(path));
  const text = `Saved in round ${round}.`;
  const body = `${String(data["body"])}\n\n${text}`;
  return measured(processes, builderProgram, async () => {
    const { id, version } = data;
    const change = { id, version, body };
    const answer = await onNextConnection(() => admin.post("/api/adminprojects/save", change));
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    const url = `${instance.baseUrl}/projects/${slug}/`;
    await until("the saved text", 20, async () => (await textOf(url)).includes(text));
  });
}
