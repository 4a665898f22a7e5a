/**
 * A process that decodes untrusted images. It is killed if it takes too long, and nothing is lost
 * if it dies. Tasks arrive one at a time, as lines on the standard input; responses leave as lines on
 * descriptor 3.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDiskFull } from "../../../kit/errors.ts";
import { convertImage } from "./convert.ts";
import { writeAvifVariants } from "./avif.ts";
import { drawPlaceholder } from "./placeholder.ts";
import { ImageError } from "./image-error.ts";
import type { ImageFailure, ImageResponse, ImageTask } from "./protocol.ts";
import { openImage } from "./sharp.ts";

/** A poster that Vitrine has made can't be larger than this. */
const posterLimits = {
  megapixels: 4,
  avifMegapixels: 4,
  heicMegapixels: 4,
  frames: 1,
  animationMegapixels: 4,
};

/** Characters of a message, at most. */
const maxMessage = 500;

function work(task: ImageTask) {
  if (task.task === "convert") return convertImage(task);
  if (task.task === "avif") return writeAvifVariants(task);
  return drawPlaceholder(openImage(task.file, posterLimits, { failOn: "error" }));
}

function describe(error: unknown): ImageFailure {
  if (error instanceof ImageError)
    return { reason: error.reason, message: error.message.slice(0, maxMessage) };
  const message = error instanceof Error ? error.message : String(error);
  return {
    reason: isDiskFull(error) ? "disk_full" : "internal",
    message: message.slice(0, maxMessage),
  };
}

function say(message: ImageResponse | "ready"): void {
  writeSync(3, `${JSON.stringify(message)}\n`);
}

async function respond(task: ImageTask): Promise<void> {
  const outcome = await work(task).then(
    (result) => ({ result }),
    (error: unknown) => ({ failure: describe(error) }),
  );
  say({ ...outcome, rss: process.memoryUsage.rss() } as ImageResponse);
  // Otherwise, the decoded pixels of several files accumulate: a little heap stands for a lot of
  // memory.
  globalThis.gc?.({ type: "minor" });
}

const tasks = createInterface({ input: process.stdin });
tasks.on("line", (line) => void respond(JSON.parse(line) as ImageTask));
// The parent is gone.
tasks.on("close", () => process.exit(0));
say("ready");
