/**
 * Measures how long a publish takes if the base hasn't changed, from the call to the response,
 * after which the new page is read through `current`: everything durable, with the template's
 * content and some media.
 *
 *   node bench/publish/run.ts [rounds=60] [--json]
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  installInstance,
  makeArtifact,
  openInstance,
  type TestInstance,
  writeFiles,
} from "../../test/support/publish/publish-instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { removeWorkspace } from "../../packages/server/src/features/workspace/workspace.ts";
import { copyTemplate } from "../../test/support/template.ts";
import { printFigures } from "../support/figures.ts";

const target = 150;
const rounds = Number(process.argv[2]) || 60;
const home = "app/src/pages/index.astro";

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function summarise(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const round = (ms: number) => Math.round(ms * 10) / 10;
  return {
    median: round(quantile(sorted, 0.5)),
    p95: round(quantile(sorted, 0.95)),
    worst: round(sorted.at(-1) ?? Number.NaN),
  };
}

/** A site of about 40 pages and files, with 30 images of 200 kB that every release links to. */
function siteFiles(round: number): Record<string, string> {
  const page = (n: number) => `<!doctype html><title>${n}</title>${`<p>${round}</p>`.repeat(400)}`;
  const entries: [string, string][] = [["index.html", page(round)]];
  for (let n = 0; n < 40; n += 1) entries.push([`projects/p${n}/index.html`, page(n)]);
  for (let n = 0; n < 30; n += 1) entries.push([`media/2026/${n}.webp`, String(n).repeat(100_000)]);
  return Object.fromEntries(entries);
}

async function prepare(instance: TestInstance, round: number) {
  const text = `<h1>Round ${round}</h1>\n`;
  const artifact = await makeArtifact(instance.paths, siteFiles(round));
  const started = performance.now();
  const workspace = await instance.workspace(`RUN${round}`, { [home]: text });
  const workspaceMs = performance.now() - started;
  return { workspace, workspaceMs, request: await instance.request(workspace, { artifact }) };
}

async function measure(dir: string) {
  const steps: Record<string, number[]> = {};
  let last = 0;
  const instance = openInstance(dir, {
    onStep(step) {
      const now = performance.now();
      (steps[step] ??= []).push(now - last);
      last = now;
    },
  });
  const publishes: number[] = [];
  const workspaces: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { workspace, workspaceMs, request } = await prepare(instance, round);
    const page = await readFile(join(request.artifact.dir, "index.html"), "utf8");
    last = performance.now();
    const started = last;
    await instance.publisher.publish(request);
    const live = await readFile(join(instance.paths.current, "index.html"), "utf8");
    publishes.push(performance.now() - started);
    workspaces.push(workspaceMs);
    if (live !== page) throw new Error("What was published is not live.");
    await removeWorkspace(instance.repository, workspace.runId);
  }
  await instance.close();
  return { publishes, workspaces, steps };
}

async function main(): Promise<void> {
  await using folder = await tempFolder();
  const seed = join(folder.path, "content");
  await mkdir(seed);
  await copyTemplate(seed);
  await writeFiles(seed, { [home]: await readFile(join(seed, home), "utf8").catch(() => "") });
  await writeFiles(seed, { "app/src/pages/about.astro": "<h1>About</h1>\n" });
  await installInstance(folder.path, {});
  const { publishes, workspaces, steps } = await measure(folder.path);
  const result = {
    rounds,
    publish: summarise(publishes),
    workspace: summarise(workspaces),
    steps: Object.fromEntries(Object.entries(steps).map(([name, ms]) => [name, summarise(ms)])),
    target,
    met: summarise(publishes).median <= target,
  };
  if (process.argv.includes("--json")) {
    await writeFile("/dev/stdout", `${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  console.log(`publish of an unmoved base, ${rounds} rounds, ms`);
  console.table({
    "click to live": result.publish,
    "make a workspace": result.workspace,
    ...result.steps,
  });
  console.log(`target: median ≤ ${target} ms: ${result.met ? "met" : "missed"}`);
  console.log(JSON.stringify(result));
  printFigures([
    {
      id: "publish",
      what: "publish, from the call to the response",
      unit: "ms",
      values: publishes,
      max: target,
    },
    { id: "workspace", what: "making a workspace", unit: "ms", values: workspaces },
    ...Object.entries(steps).map(([name, ms]) => {
      return { id: `step-${name}`, what: `step: ${name}`, unit: "ms" as const, values: ms };
    }),
  ]);
}

await main();
