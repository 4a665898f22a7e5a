import { realpath } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { AppError } from "../../../kit/errors.ts";
import type { CompareResult, CompareInput, FromReviewer } from "./review-worker.ts";

/** A comparison may take this long, in ms: many times what 1,000 changed pages take. */
const maxMs = 60_000;

/** The folder that a path stands for: `current` is a link. Null when there is none. */
async function folderOf(path: string | null): Promise<string | null> {
  if (path === null) return null;
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/** A comparison did not come to its end; the file is the one that was being read. */
export class CompareFailed extends AppError {
  readonly file: string | null;

  constructor(file: string | null, cause?: unknown) {
    super("internal", "The change couldn't be compared with the live site.", { cause });
    this.name = "NotCompared";
    this.file = file;
  }
}

/**
 * Compares a built site with the live one in a thread of its own, so that nothing waits for it and
 * what is written to hold it up ends with it. Throws `CompareFailed`, and the signal's reason.
 */
export async function compareInWorker(
  given: CompareInput,
  signal?: AbortSignal,
): Promise<CompareResult> {
  const job: CompareInput = { ...given, liveDir: await folderOf(given.liveDir) };
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<CompareResult>();
  const worker = new Worker(new URL("./review-worker.ts", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // Whatever the process was started with is for the process.
    execArgv: [],
  });
  let file: string | null = null;
  const stop = () => reject(signal?.reason);
  const time = setTimeout(() => reject(new CompareFailed(file)), maxMs);
  signal?.addEventListener("abort", stop, { once: true });
  worker.on("message", (message: FromReviewer) => {
    if (message.kind === "file") file = message.path;
    else resolve(message.compared);
  });
  worker.on("error", (error) => reject(new CompareFailed(file, error)));
  worker.on("exit", () => reject(new CompareFailed(file)));
  try {
    return await promise;
  } finally {
    clearTimeout(time);
    signal?.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
