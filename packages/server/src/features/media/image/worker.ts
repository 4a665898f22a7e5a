/**
 * A process that decodes strangers' images: it is killed when it takes too long, and nothing is lost
 * when it dies. Tasks come one at a time over the channel to the process that started it.
 */
import { flushCompileCache } from "node:module";
import { isDiskFull } from "../../../kit/errors.ts";
import { convertImage } from "./convert.ts";
import { drawPlaceholder } from "./placeholder.ts";
import { type ImageResponse, ImageError, type ImageFailure, type ImageTask } from "./protocol.ts";
import { openImage } from "./sharp.ts";

/** What a poster of our own making can't be larger than. */
const posterLimits = { megapixels: 4, avifMegapixels: 4, frames: 1, animationMegapixels: 4 };

function work(task: ImageTask) {
  if (task.task === "convert") return convertImage(task);
  return drawPlaceholder(openImage(task.file, posterLimits, { failOn: "error" }));
}

function describe(error: unknown): ImageFailure {
  if (error instanceof ImageError) return { reason: error.reason, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { reason: isDiskFull(error) ? "disk_full" : "internal", message };
}

async function response(task: ImageTask): Promise<void> {
  const outcome = await work(task).then(
    (result) => ({ result }),
    (error: unknown) => ({ failure: describe(error) }),
  );
  const message: ImageResponse = { ...outcome, rss: process.memoryUsage.rss() };
  process.send?.(message);
  // Otherwise the decoded pixels of some files pile up: little of the heap stands for much memory.
  globalThis.gc?.({ type: "minor" });
}

process.on("message", (task: ImageTask) => void response(task));
// Nobody is left to answer to.
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
flushCompileCache();
