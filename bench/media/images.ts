/**
 * Measures what an image costs from the received file to everything that is stored of it, against
 * vipsthumbnail making one JPEG of the same file: time, CPU time, memory, bytes.
 *
 *   node bench/media/images.ts [folder of images] [--images=14] [--rounds=5] [--json]
 * Without a folder, it generates images, which takes a few seconds each.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { parseArgs } from "node:util";
import pino from "pino";
import sharp from "sharp";
import { tempFolder } from "../../test/support/temp.ts";
import { makeImageWorkers } from "../../packages/server/src/features/media/image/workers.ts";
import { hasRealAlpha } from "../../packages/server/src/features/media/image/decode.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { processTree } from "../../packages/server/src/platform/process-tree.ts";
import { systemPath } from "../../packages/server/src/platform/process.ts";
import { type Figure, printFigures, ratios } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import { makeImages } from "./sample-images.ts";

/** At most, of vipsthumbnail with two threads. */
const targets = { wall: 0.9, cpu: 1.2 };

interface Cost {
  /** Milliseconds for all files. */
  wall: number;
  cpu: number;
  /** Peak of the largest process, in MiB. */
  memory: number;
  /** Of the main images together. */
  bytes: number;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const processes = watchProcesses();

/** CPU time of this process and of all below it so far, in ms; those in sandboxes included. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return processes.cpuSeconds() * 1000 + (user + system) / 1000;
}

async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function watched(child: ChildProcess): Promise<number> {
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await peakMemory(child.pid ?? 0));
  }, 10);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`vipsthumbnail ended with ${code}`);
  return peak;
}

async function measured(work: () => Promise<{ memory: number; bytes: number }>): Promise<Cost> {
  const cpu = processorTime();
  const started = performance.now();
  const result = await work();
  const wall = performance.now() - started;
  return { ...result, wall, cpu: processorTime() - cpu };
}

async function sizes(files: string[]): Promise<number> {
  const stats = await Promise.all(files.map((file) => stat(file)));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

/** `lists`: the files for each process. */
function thumbnails(lists: string[][], threads: number, outDir: string): Promise<Cost> {
  return measured(async () => {
    const peaks = lists.map((files) => {
      const target = join(outDir, "%s.jpg[Q=80,strip]");
      const child = spawn("vipsthumbnail", ["-s", "1600x1600>", "-o", target, ...files], {
        env: { PATH: systemPath, VIPS_CONCURRENCY: String(threads) },
        stdio: "inherit",
      });
      return watched(child);
    });
    const memory = Math.max(...(await Promise.all(peaks)));
    const made = lists.flat().map((file) => join(outDir, `${parse(file).name}.jpg`));
    return { memory, bytes: await sizes(made) };
  });
}

/** The whole step, including the start and end of processes. */
function wholeStep(files: string[], outDir: string, workersDir: string): Promise<Cost> {
  return measured(async () => {
    const log = pino({ level: "silent" });
    const limits = { ...defaultLimits.media, queue: files.length };
    const images = makeImageWorkers({ limits, log, dir: workersDir });
    const results = await Promise.all(
      files.map((file) => images.convert({ file, outDir, stem: parse(file).name })),
    );
    const workers = processTree(process.pid).filter((pid) => pid !== process.pid);
    const peaks = await Promise.all(workers.map(peakMemory));
    await images.close();
    const bytes = results.reduce((sum, result) => sum + result.bytes, 0);
    return { memory: Math.max(...peaks), bytes };
  });
}

/** How long the search for transparency takes on the largest stored image, in ms. */
async function alphaScan(): Promise<number> {
  const create = { width: 1600, height: 1067, channels: 4, background: "#808080ff" } as const;
  const { data, info } = await sharp({ create }).raw().toBuffer({ resolveWithObject: true });
  const pixels = { data, width: info.width, height: info.height, channels: 4 } as const;
  const times: number[] = [];
  for (let round = 0; round < 21; round += 1) {
    const started = performance.now();
    hasRealAlpha(pixels);
    times.push(performance.now() - started);
  }
  return median(times);
}

function medians(costs: Cost[]): Cost {
  const of = (key: keyof Cost) => Math.round(median(costs.map((cost) => cost[key])));
  return { wall: of("wall"), cpu: of("cpu"), memory: of("memory"), bytes: of("bytes") };
}

function figuresOf({ one, two, ours }: Record<"one" | "two" | "ours", Cost[]>): Figure[] {
  const of = (costs: Cost[], key: keyof Cost) => costs.map((cost) => cost[key]);
  const pair = (id: keyof Cost, what: string, peer: Cost[], max?: number): Figure => {
    return { id, what, unit: "×", values: ratios(of(ours, id), of(peer, id)), max };
  };
  return [
    pair("wall", "whole step ÷ vipsthumbnail: time", two, targets.wall),
    pair("cpu", "whole step ÷ vipsthumbnail: processor time", two, targets.cpu),
    pair("memory", "largest process ÷ vipsthumbnail with one thread: memory", one),
    pair("bytes", "stored image ÷ JPEG of quality 80: bytes", one),
    { id: "ours-ms", what: "whole step, all images", unit: "ms", values: of(ours, "wall") },
    { id: "two-ms", what: "vipsthumbnail, all images", unit: "ms", values: of(two, "wall") },
  ];
}

async function measureAll(files: string[], dir: string, rounds: number) {
  const workersDir = join(dir, "workers");
  const halves = [0, 1].map((rest) => files.filter((_file, at) => at % 2 === rest));
  const costs: Record<"one" | "two" | "pair" | "ours", Cost[]> = {
    one: [],
    two: [],
    pair: [],
    ours: [],
  };
  for (let round = 0; round <= rounds; round += 1) {
    const made = join(dir, `made-${round}`);
    await mkdir(made);
    const each = {
      one: await thumbnails([files], 1, dir),
      two: await thumbnails([files], 2, dir),
      pair: await thumbnails(halves, 1, dir),
      ours: await wholeStep(files, made, workersDir),
    };
    // The first round warms the machine's caches.
    if (round > 0)
      for (const key of ["one", "two", "pair", "ours"] as const) costs[key].push(each[key]);
  }
  printFigures(figuresOf(costs));
  return {
    one: medians(costs.one),
    two: medians(costs.two),
    pair: medians(costs.pair),
    ours: medians(costs.ours),
  };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      images: { type: "string", default: "14" },
      rounds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  await using folder = await tempFolder();
  const [source] = positionals;
  const files =
    source === undefined
      ? await makeImages(folder.path, Number(values.images))
      : (await readdir(source)).toSorted().map((name) => join(source, name));
  const out = join(folder.path, "out");
  await mkdir(out);
  const { one, two, pair, ours } = await measureAll(files, out, Number(values.rounds));
  const scan = await alphaScan();
  const ratio = (value: number) => Math.round(value * 1000) / 1000;
  const found = {
    "wall ÷ two threads": [ratio(ours.wall / two.wall), targets.wall],
    "processor time ÷ two threads": [ratio(ours.cpu / two.cpu), targets.cpu],
    "memory ÷ one thread": [ratio(ours.memory / one.memory), 1],
    "bytes ÷ Q80": [ratio(ours.bytes / one.bytes), 0.75],
    "alpha scan ÷ step": [ratio(scan / (ours.cpu / files.length)), 0.05],
  } as const;
  if (values.json) {
    const megabytes = Math.round((await sizes(files)) / 1e6);
    console.log(JSON.stringify({ files: files.length, megabytes, one, two, pair, ours, found }));
    return;
  }
  console.log(`${files.length} pictures, medians of ${values.rounds} rounds; ms, MiB, bytes`);
  console.table({
    "vipsthumbnail, one thread": one,
    "vipsthumbnail, two threads": two,
    "vipsthumbnail, two at once": pair,
    "whole step, two workers": ours,
  });
  for (const [name, [value, target]] of Object.entries(found)) {
    console.log(`${name}: ${value} (target ≤ ${target}: ${value <= target ? "met" : "missed"})`);
  }
}

await main();
processes.stop();
