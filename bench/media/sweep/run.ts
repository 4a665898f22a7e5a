/**
 * Converts files as an upload does and compares what is stored with the file, decoded by Chromium
 * (images) or ffmpeg (videos, and images that Chromium doesn't show): mean color within 4 levels a channel,
 * frames and times, orientation, and size. Prints one line for each file that differs, and exits with
 * 1 if there is one.
 *
 *     node bench/media/sweep/run.ts [FOLDER…] [--json] [--keep FOLDER]
 *
 * Makes files for known faults, each of a named device or program and format. Files of each FOLDER are
 * added; if it contains an `index.json` with `file`, `policy`, and `expected`, they have to be refused or
 * accepted as it says, with that size.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import pino from "pino";
import sharp from "sharp";
import { makeImageWorkers } from "../../../packages/server/src/features/media/image/workers.ts";
import { readHead, sniffMedia } from "../../../packages/server/src/features/media/media-type.ts";
import { makeVideoConverter } from "../../../packages/server/src/features/media/video/video-converter.ts";
import { defaultLimits } from "../../../packages/server/src/platform/config.ts";
import { instancePaths } from "../../../packages/server/src/platform/paths.ts";
import { systemClock } from "../../../packages/server/src/kit/clock.ts";
import { launchBrowser } from "../../../test/support/browser.ts";
import { tempFolder } from "../../../test/support/temp.ts";
import { colorDifference, orientationOf } from "./compare.ts";
import { browserType, openViewer, type Shown } from "./images.ts";
import { makeImageFiles, writeFiles } from "./made-images.ts";
import { makeVideoFiles } from "./made-videos.ts";
import { decodeVideo } from "./videos.ts";

/** Levels of 255 that a mean may differ. */
const maxColorDifference = 4;

interface Expectation {
  policy: "accept" | "reject" | "either";
  width?: number;
  height?: number;
  meanRGB?: number[];
}

interface Outcome {
  file: string;
  stands: string;
  /** `refused`: with this code; `compared`: by this decoder. */
  result: string;
  color: number | null;
  problems: string[];
}

async function expectationsOf(folder: string): Promise<Map<string, Expectation>> {
  const index = join(folder, "index.json");
  if (!existsSync(index)) return new Map();
  const list = JSON.parse(await readFile(index, "utf8")) as {
    file: string;
    policy: Expectation["policy"];
    expected?: Omit<Expectation, "policy">;
  }[];
  return new Map(
    list.map(({ file, policy, expected }) => [join(folder, file), { ...expected, policy }]),
  );
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.(?:json|md)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, keep: { type: "string" } },
});
await using folder = await tempFolder();
const log = pino({ level: "silent" });
const limits = { ...defaultLimits.media, queue: 1000 };
const paths = instancePaths(folder.path);
const images = makeImageWorkers({ limits, log, dir: join(folder.path, "workers") });
const videos = await makeVideoConverter({
  paths,
  limits,
  sandbox: "auto",
  log,
  clock: systemClock,
});
const browser = await launchBrowser();
const show = await openViewer(await browser.newPage());

/** A still image that browsers don't show, as ffmpeg or libvips decodes it. */
async function decodeStill(file: string): Promise<Shown | null> {
  try {
    const upright = sharp(file, { failOn: "none" }).autoOrient().toColourspace("srgb");
    const { data, info } = await upright.png().toBuffer({ resolveWithObject: true });
    const small = sharp(data).flatten({ background: "#808080" }).resize(16, 16, { fit: "fill" });
    const thumbnail = [...(await small.removeAlpha().raw().toBuffer())];
    return { width: info.width, height: info.height, thumbnail, frames: 1, durations: [] };
  } catch {
    return null;
  }
}

function sizeProblem(
  shown: { width: number; height: number },
  stored: { width: number; height: number },
  tolerance: number,
): string[] {
  const scale = Math.min(1, 1600 / Math.max(shown.width, shown.height));
  const [width, height] = [Math.round(shown.width * scale), Math.round(shown.height * scale)];
  const isRight =
    Math.abs(width - stored.width) <= tolerance && Math.abs(height - stored.height) <= tolerance;
  return isRight ? [] : [`${stored.width}×${stored.height} instead of ${width}×${height}`];
}

function imageProblems(color: number, orientation: number): string[] {
  return [
    ...(color > maxColorDifference ? [`color differs by ${color.toFixed(1)} levels`] : []),
    ...(orientation === 1 ? [] : [`orientation ${orientation}`]),
  ];
}

async function checkImage(file: string, outDir: string): Promise<Omit<Outcome, "file" | "stands">> {
  const result = await images.convert({ file, outDir, stem: "stored" });
  const stored = join(outDir, result.file);
  const fromBrowser = browserType(file) === undefined ? null : await show(file);
  const shown = fromBrowser ?? (await decodeStill(file));
  const after = await show(stored);
  if (after === null) return { result: "stored", color: null, problems: ["can't be shown"] };
  if (shown === null) return { result: "no decoder to compare with", color: null, problems: [] };
  const color = colorDifference(shown.thumbnail, after.thumbnail);
  const problems = [
    ...imageProblems(color, orientationOf(shown.thumbnail, after.thumbnail)),
    ...sizeProblem(shown, after, 1),
  ];
  const isKept = !result.warnings.some((warning) => /first frame/.test(warning));
  if (isKept && shown.frames !== after.frames) {
    problems.push(`${after.frames} frames instead of ${shown.frames}`);
  }
  const isTimed = shown.durations.every(
    (duration, at) => Math.abs(duration - (after.durations[at] ?? 0)) <= 1,
  );
  if (isKept && !isTimed) problems.push(`times ${after.durations} instead of ${shown.durations}`);
  return { result: fromBrowser ? "Chromium" : "libvips", color, problems };
}

async function checkVideo(file: string, outDir: string): Promise<Omit<Outcome, "file" | "stands">> {
  const result = await videos.convert({ file, outDir, stem: "stored" });
  const [before, after] = [await decodeVideo(file), await decodeVideo(join(outDir, result.file))];
  if (after === null) return { result: "stored", color: null, problems: ["can't be decoded"] };
  if (before === null) return { result: "no decoder to compare with", color: null, problems: [] };
  const color = colorDifference(before.thumbnail, after.thumbnail);
  // ffmpeg alone maps no HDR.
  const problems = imageProblems(
    before.isHdr ? 0 : color,
    orientationOf(before.thumbnail, after.thumbnail),
  );
  if (before.frames !== after.frames) {
    problems.push(`${after.frames} frames instead of ${before.frames}`);
  }
  if (Math.abs(before.duration - after.duration) > 0.02) {
    problems.push(`${after.duration.toFixed(3)} s instead of ${before.duration.toFixed(3)} s`);
  }
  return { result: before.isHdr ? "ffmpeg, HDR without color" : "ffmpeg", color, problems };
}

async function check(
  file: string,
  stands: string,
  expected: Expectation | undefined,
): Promise<Outcome> {
  const outDir = join(folder.path, `out-${checked.length}`);
  await mkdir(outDir);
  const { kind } = sniffMedia(await readHead(file));
  try {
    const found = await (kind === "video" ? checkVideo(file, outDir) : checkImage(file, outDir));
    if (expected?.policy === "reject") found.problems.push("was accepted");
    return { file: basename(file), stands, ...found };
  } catch (error) {
    const { code = "crash", message } = error as { code?: string; message: string };
    const isWrong = code === "internal" || code === "crash" || code === "unavailable";
    const isExpected = expected !== undefined && expected.policy !== "accept";
    const problems = isExpected && !isWrong ? [] : [`refused: ${code}: ${message}`];
    return { file: basename(file), stands, result: `refused: ${code}`, color: null, problems };
  }
}

const madeDir = values.keep ?? join(folder.path, "made");
await mkdir(madeDir, { recursive: true });
const made = new Map([
  ...(await writeFiles(madeDir, await makeImageFiles())),
  ...(await makeVideoFiles(madeDir)),
]);
const checked: Outcome[] = [];
async function add(...args: Parameters<typeof check>): Promise<void> {
  const outcome = await check(...args);
  checked.push(outcome);
  const { file, result, color, problems } = outcome;
  console.error(`${file}: ${result}, ${color?.toFixed(1) ?? "-"}: ${problems.join("; ") || "ok"}`);
}

for (const [file, stands] of made) await add(file, stands, undefined);
for (const given of positionals) {
  const expectations = await expectationsOf(given);
  for (const file of await filesOf(given)) {
    if ((await stat(file)).size > 0) await add(file, "given", expectations.get(file));
  }
}
await browser.close();
await images.close();
await videos.close();
const wrong = checked.filter(({ problems }) => problems.length > 0);
if (values.json) console.log(JSON.stringify(checked));
else {
  console.table(
    wrong.map(({ file, stands, problems }) => ({ file, stands, problems: problems.join("; ") })),
  );
}
const colors = checked.flatMap(({ color }) => color ?? []);
console.error(
  `${checked.length} files, ${made.size} made: ${wrong.length} differ; largest difference of colors within the limit: ${Math.max(...colors.filter((color) => color <= maxColorDifference)).toFixed(1)} levels`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;
