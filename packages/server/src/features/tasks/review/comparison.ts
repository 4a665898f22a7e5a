import { realpath } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { AppError } from "../../../kit/errors.ts";
import { programFile } from "../../../platform/paths.ts";
import type { CompareResult, CompareInput, FromReviewer } from "./review-worker.ts";

/** Time limit of a comparison, in ms: many times what 1,000 changed pages take. */
const maxMs = 60_000;

/** The real folder behind a path, because `current` is a link. Null if there is none. */
async function folderOf(path: string | null): Promise<string | null> {
  if (path === null) return null;
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/** A comparison didn't complete; `file` is the one being read. */
export class CompareFailed extends AppError {
  readonly file: string | null;

  constructor(file: string | null, cause?: unknown) {
    super("internal", "The change couldn't be compared with the live site.", { cause });
    this.name = "NotCompared";
    this.file = file;
  }
}

/**
 * Compares a built site with the live one in a separate thread without blocking this one; the
 * thread is terminated if a file was designed to slow it down. Throws `CompareFailed`, and the
 * signal's reason.
 */
export async function compareInWorker(
  given: CompareInput,
  signal?: AbortSignal,
): Promise<CompareResult> {
  const job: CompareInput = { ...given, liveDir: await folderOf(given.liveDir) };
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<CompareResult>();
  const worker = new Worker(programFile(new URL("./review-worker.ts", import.meta.url)), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // The process's own options are not for the thread.
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
