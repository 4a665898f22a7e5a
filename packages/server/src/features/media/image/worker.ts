/**
 * A process that decodes untrusted images. It is killed if it takes too long, and nothing is lost
 * if it dies. Tasks arrive one at a time over the channel from its parent process.
 */
import { flushCompileCache } from "node:module";
import { isDiskFull } from "../../../kit/errors.ts";
import { convertImage } from "./convert.ts";
import { writeAvifVariants } from "./avif.ts";
import { drawPlaceholder } from "./placeholder.ts";
import { type ImageResponse, ImageError, type ImageFailure, type ImageTask } from "./protocol.ts";
import { openImage } from "./sharp.ts";

/** A poster that Vitrine has made can't be larger than this. */
const posterLimits = { megapixels: 4, avifMegapixels: 4, frames: 1, animationMegapixels: 4 };

function work(task: ImageTask) {
  if (task.task === "convert") return convertImage(task);
  if (task.task === "avif") return writeAvifVariants(task);
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
  // Otherwise, the decoded pixels of several files accumulate: a little heap stands for a lot of
  // memory.
  globalThis.gc?.({ type: "minor" });
}

process.on("message", (task: ImageTask) => void response(task));
// The parent is gone.
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
flushCompileCache();
