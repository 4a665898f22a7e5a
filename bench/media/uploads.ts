/**
 * How long visitors wait for the home page while 80 photos are uploaded at once and converted, beside
 * the same when the instance is idle, and beside nginx with the same files, asked in turn at the same
 * time. Photos have 4 to 12 megapixels; half are sent as forms, half as resumable uploads.
 *
 *     node bench/media/uploads.ts [--rounds 3] [--count 80] [--rate 100] [--idle-seconds 15] [--busy-seconds 600] [--profile FOLDER]
 *
 * `--busy-seconds` ends the visits of a round earlier, on a slow machine. `--profile` has the processes of the instance write profiles of their processor time.
 */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { startInstance } from "../../test/support/instance.ts";
import { tempFolder } from "../../test/support/temp.ts";
import { startNginx } from "../http/nginx.ts";
import { makeVisitor, p99, type Times } from "../http/visits.ts";
import { type Figure, median, printFigures, ratios } from "../support/figures.ts";
import { makeImages } from "./sample-images.ts";
import type { UploadOutcome, UploadTask } from "./upload-client.ts";

/** Of the p99 while it is idle, at most. */
const allowed = 1.5;

/** Sizes of cameras and phones: 4, 6, 8, and 12 megapixels. */
const sizes = [
  [2304, 1728],
  [2816, 2112],
  [3264, 2448],
  [4000, 3000],
] as const;

async function makePhotos(dir: string): Promise<string[]> {
  const [large = ""] = await makeImages(dir, 1);
  const photos = sizes.map(async ([width, height]) => {
    const file = join(dir, `photo-${width}.jpg`);
    await sharp(large).resize(width, height, { fit: "cover" }).jpeg({ quality: 92 }).toFile(file);
    return file;
  });
  return Promise.all(photos);
}

/** Uploads in a process of its own; `isOver` tells when it has ended. */
function startUploads(task: UploadTask) {
  const client = spawn(process.execPath, [join(import.meta.dirname, "upload-client.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let isOver = false;
  client.on("exit", () => {
    isOver = true;
  });
  client.stdin.end(JSON.stringify(task));
  const outcome = text(client.stdout).then((output) => JSON.parse(output) as UploadOutcome);
  return { isOver: () => isOver, outcome };
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    count: { type: "string", default: "80" },
    rate: { type: "string", default: "100" },
    "idle-seconds": { type: "string", default: "15" },
    "busy-seconds": { type: "string", default: "600" },
    profile: { type: "string" },
  },
});
await using folder = await tempFolder();
const profiling: Record<string, string> = {};
if (values.profile !== undefined) {
  await mkdir(values.profile, { recursive: true });
  profiling["NODE_OPTIONS"] = `--cpu-prof --cpu-prof-dir=${values.profile}`;
}
await using instance = await startInstance({
  warm: true,
  config: { qa: { intervalMinutes: 0 } },
  env: profiling,
  readyMs: 10 * 60_000,
});
await using nginx = await startNginx(join(folder.path, "nginx"), instance.paths.current);
using visitor = makeVisitor({ own: instance.baseUrl, nginx: nginx.origin }, Number(values.rate));
const photos = await makePhotos(folder.path);
const created = await instance.vitrine(["api-token", "create", "bench", "--scopes", "read,write"]);
const idleMs = Number(values["idle-seconds"]) * 1000;

function visitIdle(): Promise<Times> {
  const end = performance.now() + idleMs;
  return visitor.visit(() => performance.now() > end);
}

const p99s: Record<"idle" | "busy", Times> = {
  idle: { own: [], nginx: [] },
  busy: { own: [], nginx: [] },
};
const [seconds, busyAnswers, sentShares]: [number[], number[], number[]] = [[], [], []];
const failures: number[] = [];
// Fills caches and opens connections.
await visitIdle();
for (let round = 0; round < Number(values.rounds); round += 1) {
  const idle = await visitIdle();
  const started = performance.now();
  const uploads = startUploads({
    origin: instance.baseUrl,
    token: String(created["token"]),
    files: photos,
    count: Number(values.count),
    mark: `round-${round}`,
  });
  const end = started + Number(values["busy-seconds"]) * 1000;
  const busy = await visitor.visit(() => uploads.isOver() || performance.now() > end);
  for (const name of ["own", "nginx"] as const) {
    p99s.idle[name].push(p99(idle[name]));
    p99s.busy[name].push(p99(busy[name]));
  }
  console.log(
    `round ${round + 1}: load ${loadavg()
      .map((value) => value.toFixed(1))
      .join(" ")}`,
    {
      idle: Object.fromEntries(Object.entries(idle).map(([name, times]) => [name, p99(times)])),
      busy: Object.fromEntries(Object.entries(busy).map(([name, times]) => [name, p99(times)])),
      worst: Math.max(...busy.own),
    },
  );
  const outcome = await uploads.outcome;
  seconds.push((performance.now() - started) / 1000);
  failures.push(outcome.failed.length);
  if (outcome.failed.length > 0) console.error(outcome.failed.slice(0, 3).join("\n"));
  busyAnswers.push(outcome.busy);
  sentShares.push(...outcome.sentShares);
}

const own = ratios(p99s.busy.own, p99s.idle.own);
const peer = ratios(p99s.busy.nginx, p99s.idle.nginx);
const what = `p99 of the home page while ${values.count} photos are uploaded`;
const figures: Figure[] = [
  { id: "own", what: `${what} ÷ while idle`, unit: "×", values: own, max: allowed },
  { id: "nginx", what: `${what} ÷ while idle: nginx`, unit: "×", values: peer },
  { id: "own-ms", what, unit: "ms", values: p99s.busy.own },
  { id: "idle-ms", what: "p99 of the home page while idle", unit: "ms", values: p99s.idle.own },
  { id: "nginx-ms", what: `${what}: nginx`, unit: "ms", values: p99s.busy.nginx },
  {
    id: "nginx-idle-ms",
    what: "p99 of the home page while idle: nginx",
    unit: "ms",
    values: p99s.idle.nginx,
  },
  {
    id: "seconds",
    what: `${values.count} photos, until all are stored`,
    unit: "s",
    values: seconds,
  },
  { id: "failed", what: "photos that weren't stored", unit: "", values: failures, max: 0 },
  { id: "busy", what: "responses that said the queue was full", unit: "", values: busyAnswers },
];
if (sentShares.length > 0) {
  const percent = sentShares.map((share) => share * 100);
  const sent = "share of a body that was sent before the queue was said to be full";
  figures.push({ id: "sent", what: sent, unit: "%", values: percent });
}
console.table(
  figures.map((figure) => ({
    what: figure.what,
    median: median(figure.values),
    unit: figure.unit,
  })),
);
printFigures(figures);
