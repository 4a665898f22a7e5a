import { spawn } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { nodeBinary } from "../../../packages/server/src/platform/paths.ts";
import { run } from "../../../packages/server/src/platform/process.ts";
import { freePorts } from "../../support/instance.ts";
import { checkInvariants, waitUntilSettled } from "../invariants/check.ts";
import { mixedLoad, startLoad, makeVideoOf } from "../load/load.ts";
import { makeVideos } from "../load/records.ts";
import { signInFlood } from "../load/visitors.ts";
import { seededRandom } from "../random.ts";
import type { Site } from "../site.ts";
import { delay } from "../wait.ts";
import { startNginx } from "./nginx.ts";
import { type Growth, lasting, type IdleState, measureIdleState, watchMemory } from "./samples.ts";

export interface SoakOptions {
  /** Warm-up and measured time together, in s. */
  seconds: number;
  seed: number;
  log(line: string): void;
}

export interface Soak {
  /** Latencies of the home page in ms. */
  vitrine: number[];
  nginx: number[];
  memory: Growth[];
  before: IdleState;
  after: IdleState;
  /** What must hold however short it was: leaks, errors, invariants. */
  violations: string[];
}

/** Two seconds of a moving image, which cost ffmpeg about as much as a real upload of that length. */
async function realVideo(site: Site): Promise<Buffer> {
  const file = join(site.volume.path, "video.webm");
  const source = "testsrc2=s=640x360:r=25:d=2,format=yuv420p";
  const args = ["-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libvpx", "-b:v", "1M", file];
  const { exitCode, stderr } = await run("ffmpeg", args, { timeoutMs: 120_000 });
  if (exitCode !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return readFile(file);
}

/** Asks both servers in turn until it is stopped. */
function startProber(ports: readonly number[]) {
  const program = join(import.meta.dirname, "prober.ts");
  const args = [program, ...ports.map(String)];
  const child = spawn(nodeBinary, args, { stdio: ["pipe", "pipe", "inherit"] });
  const output = text(child.stdout);
  return {
    async stop(): Promise<[number[], number[]]> {
      child.stdin.end();
      const response = await output;
      if (response === "") throw new Error("The prober has ended early.");
      return JSON.parse(response) as [number[], number[]];
    },
  };
}

/** Connections of the load that are kept open are closed by then, in ms. */
const quietMs = 8000;

async function rest(site: Site): Promise<IdleState> {
  await waitUntilSettled(site.product);
  await delay(quietMs);
  await waitUntilSettled(site.product);
  return measureIdleState(site);
}

/** Sockets that are closed a moment later, and files that are read at that very moment. */
const fileSlack = 12;
const processSlack = 4;

function leaks(before: IdleState, after: IdleState): string[] {
  const temporary = after.temporary.filter((name) => !before.temporary.includes(name));
  return [
    ...lasting
      .filter((kind) => after.files[kind] > before.files[kind] + fileSlack)
      .map((kind) => `${kind} has ${after.files[kind]} files open, before ${before.files[kind]}`),
    ...(after.connections > Math.max(before.connections, 16)
      ? [`${after.connections} database connections are open, before ${before.connections}`]
      : []),
    ...(after.processes > before.processes + processSlack
      ? [`${after.processes} processes run, before ${before.processes}`]
      : []),
    ...temporary.map((name) => `temporary file ${name} is left`),
  ];
}

/** Kinds of request that nothing may keep from an answer. */
function unanswered({ journal }: Site): string[] {
  return [...journal.counts]
    .filter(([, counts]) => counts.unanswered > 0)
    .map(([kind, counts]) => `${counts.unanswered} requests of kind ${kind} had no answer`);
}

/** Runs a mixed load, and measures before, during, and after it. */
export async function runSoak(site: Site, { seconds, seed, log }: SoakOptions): Promise<Soak> {
  const { product, journal, ignoredFiles, model } = site;
  const videos = makeVideos(makeVideoOf(await realVideo(site)), 15_000);
  const floods = Object.fromEntries([1, 2, 3, 4].map((number) => [`flood ${number}`, signInFlood]));
  const actors = { ...mixedLoad, videos, ...floods };
  const random = seededRandom(seed);
  const loadFor = async (name: string, forSeconds: number) => {
    const load = startLoad(actors, { ...site, random: random.fork(name) });
    const forget = setInterval(() => (model.requests.length = 0), 10_000);
    await delay(forSeconds * 1000);
    clearInterval(forget);
    await load.stop();
  };
  const [port = 0] = await freePorts(1);
  const release = await realpath(product.paths.current);
  await using nginx = await startNginx(join(site.volume.path, "nginx"), release, port);
  const warmUp = Math.min(300, seconds / 4);
  await loadFor("warm-up", warmUp);
  const before = await rest(site);
  log(`warmed up for ${Math.round(warmUp)} s`);
  const watch = watchMemory(site);
  const prober = startProber([product.port, nginx.port]);
  await loadFor("soak", seconds - warmUp);
  const [vitrine, idle] = await prober.stop();
  const memory = await watch.stop();
  log("the load has ended");
  const after = await rest(site);
  await product.ready();
  const violations = [
    ...leaks(before, after),
    ...unanswered(site),
    ...memory.filter(({ isOne }) => !isOne).map(({ kind }) => `${kind} was started again`),
    ...(await checkInvariants(product, journal, ignoredFiles)),
  ];
  return { vitrine, nginx: idle, memory, before, after, violations };
}
