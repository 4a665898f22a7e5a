/**
 * Compares converting a video with a bare ffmpeg that uses the same filters and encoding,
 * alternating: ours also reads the packets first, makes a poster, and runs in the sandbox. Both run
 * at the same low priority, so that a busy machine slows them alike. Wall clock, medians of the
 * rounds.
 *
 *   node bench/media/videos.ts [rounds=5] [file] [--json]
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { containerOf } from "../../packages/server/src/features/media/video/container.ts";
import { planVideo } from "../../packages/server/src/features/media/video/plan.ts";
import { probeVideo } from "../../packages/server/src/features/media/video/probe.ts";
import { openVideoSandbox } from "../../packages/server/src/features/media/video/sandbox.ts";
import { makeVideoConverter } from "../../packages/server/src/features/media/video/video-converter.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { splitArguments } from "../../packages/server/src/platform/sandbox/command.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { median, printFigures, ratios } from "../support/figures.ts";

const targets = { timesBare: 1.03, timesDuration: 0.6 };
const plain = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const rounds = Number(plain[0]) || 5;
const ownVideo = plain[1];
const timeoutMs = 600_000;

/** Twenty seconds of 1080p with a moving image and some noise, as from a phone. */
async function makeVideo(file: string): Promise<void> {
  const source = "testsrc2=s=1920x1080:r=30:d=20,noise=alls=6:allf=t,format=yuv420p";
  const codec = splitArguments("-c:v libx264 -preset ultrafast -b:v 12M -y");
  await run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, ...codec, file], { timeoutMs });
}

/** The same arguments without the poster, for an ffmpeg outside of the sandbox. */
function bareArguments(all: string[]): string[] {
  const video = all.slice(0, all.lastIndexOf("-map"));
  return video.map((word) => word.replace(/,split\[film\].*$/, "[film]"));
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  times.push(performance.now() - started);
}

await using folder = await tempFolder();
const file = join(folder.path, "film.mp4");
if (ownVideo === undefined) await makeVideo(file);
else await run("cp", [ownVideo, file]);
const limits = { ...defaultLimits.media, videoSeconds: 3600 };
const log = pino({ level: "silent" });
const videos = await makeVideoConverter({
  paths: { data: folder.path },
  limits,
  sandbox: "auto",
  log,
  clock: systemClock,
  timeouts: { convert: timeoutMs / 1000 },
});
const { sandbox } = await openVideoSandbox("auto", {});
const container = containerOf((await readFile(file)).subarray(0, 4096)) ?? "mov";
const never = new AbortController().signal;
const bounds = {
  maxSeconds: limits.videoSeconds,
  maxEdge: limits.videoEdge,
  cpuMs: timeoutMs,
  silenceMs: timeoutMs,
};
const facts = await probeVideo(sandbox, { file, container, signal: never }, bounds);
const bareFolder = join(folder.path, "bare");
const ownFolder = join(folder.path, "own");
for (const dir of [bareFolder, ownFolder]) await mkdir(dir);
const bare = bareArguments(planVideo(facts).arguments({ input: file, output: bareFolder }));

const times = { own: [] as number[], bare: [] as number[], probe: [] as number[] };
let bytes = 0;
for (let round = 0; round <= rounds; round += 1) {
  // The first round loads the file into the page cache.
  const { own, bare: other, probe } = round === 0 ? { own: [], bare: [], probe: [] } : times;
  await timed(own, async () => {
    bytes = (await videos.convert({ file, outDir: ownFolder, stem: `film-${round}` })).bytes;
  });
  await timed(other, async () => {
    const result = await run("nice", ["-n", "10", "ffmpeg", "-y", ...bare], { timeoutMs });
    if (result.exitCode !== 0) throw new Error(result.stderr);
  });
  await timed(probe, () => probeVideo(sandbox, { file, container, signal: never }, bounds));
}
await videos.close();

const duration = facts.duration ?? Number.NaN;
const own = median(times.own);
const result = {
  film: `${facts.width}x${facts.height}, ${duration.toFixed(1)} s`,
  tier: sandbox.tier,
  ownMs: Math.round(own),
  bareMs: Math.round(median(times.bare)),
  probeMs: Math.round(median(times.probe)),
  bytes,
  timesBare: own / median(times.bare),
  timesBareTarget: targets.timesBare,
  timesBareByRound: times.own.map((ms, i) => (ms / (times.bare[i] ?? 1)).toFixed(3)),
  timesDuration: own / 1000 / duration,
  timesDurationTarget: targets.timesDuration,
};
if (process.argv.includes("--json")) console.log(JSON.stringify(result));
else console.table(Object.entries(result).map(([what, value]) => ({ what, value: String(value) })));
printFigures([
  {
    id: "ratio",
    what: "conversion ÷ bare ffmpeg",
    unit: "×",
    values: ratios(times.own, times.bare),
    max: targets.timesBare,
  },
  {
    id: "duration",
    what: "conversion ÷ length of the video",
    unit: "×",
    values: times.own.map((ms) => ms / 1000 / duration),
  },
  { id: "own", what: "conversion", unit: "ms", values: times.own },
  { id: "bare", what: "bare ffmpeg", unit: "ms", values: times.bare },
]);
