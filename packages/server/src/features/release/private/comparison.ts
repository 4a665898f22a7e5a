import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { PrivateText } from "../../../kit/private-text.ts";
import { programFile } from "../../../platform/paths.ts";
import type { PrivateComparison } from "./compare-sites.ts";
import type {
  ComparedSites,
  CompareWorkerInput,
  FromComparer,
  ToComparer,
} from "./compare-worker.ts";

/**
 * Processor time that a comparison may take, in ms: many times what a large site takes. The clock alone
 * would fail those of large sites on a busy machine.
 */
const maxCpuMs = 60_000;
/** A comparison that waits for something all the time ends as well, in ms. */
const maxMs = 600_000;
/**
 * Maximum memory of its thread outside the heap, in bytes: unpacked PDF content is there, where a
 * thread's limits don't apply.
 */
const maxBufferBytes = 512 * 1024 * 1024;
const watchMs = 200;

const nothing: PrivateComparison = { findings: [], total: 0, fingerprint: "", incomplete: null };
const nothingPrivate: ComparedSites = { result: nothing, media: new Map(), isIntact: true };

/** Private texts in batches, read one after another. */
export type PrivateTexts = AsyncIterable<readonly PrivateText[]>;

export interface ComparisonJob extends CompareWorkerInput {
  privateTexts: PrivateTexts;
  /** What everyone can read; called once something private has been found. */
  publicTexts(): Promise<string[]>;
  signal?: AbortSignal | undefined;
  /** Defaults to 512 MiB. */
  maxBufferBytes?: number | undefined;
  /** Defaults to a minute. */
  maxCpuMs?: number | undefined;
  /** Called with the cause of a failed comparison; the result only says that it is incomplete. */
  onFailure?(cause: unknown): void;
}

function notFinished(artifactDir: string): ComparedSites {
  const incomplete = "The comparison with private texts did not finish.";
  const fingerprint = createHash("sha256").update(`${incomplete}\0${artifactDir}`).digest("hex");
  return { ...nothingPrivate, result: { ...nothing, fingerprint, incomplete } };
}

/** The thread failed or took too long. */
class ComparerFailed extends Error {}

type ComparerOptions = Pick<ComparisonJob, "signal" | "maxBufferBytes" | "maxCpuMs">;

/** A thread with limits on time and memory that answers messages in order. */
function startComparer(
  folders: CompareWorkerInput,
  {
    signal,
    maxBufferBytes: maxBytes = maxBufferBytes,
    maxCpuMs: cpuLimit = maxCpuMs,
  }: ComparerOptions,
) {
  const worker = new Worker(programFile(new URL("./compare-worker.ts", import.meta.url)), {
    workerData: folders,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // The process's own options are not for the thread.
    execArgv: [],
  });
  let response = Promise.withResolvers<FromComparer>();
  response.promise.catch(() => {});
  const fail = (cause?: unknown) => response.reject(new ComparerFailed("It ended.", { cause }));
  const stop = () => fail(signal?.reason);
  const tooLong = () => fail(new Error("It took too long."));
  const timer = setTimeout(tooLong, maxMs);
  const look = async () => {
    const { external_memory: bytes } = await worker.getHeapStatistics();
    if (bytes > maxBytes) fail(new Error("It took too much memory."));
    const { user, system } = await worker.cpuUsage();
    if ((user + system) / 1000 > cpuLimit) tooLong();
  };
  // An ended thread has no statistics and needs no limit.
  const watch = setInterval(() => void look().catch(() => {}), watchMs);
  signal?.addEventListener("abort", stop, { once: true });
  worker.on("message", (message: FromComparer) => response.resolve(message));
  worker.on("error", fail);
  worker.on("exit", () => fail());
  return {
    async ask(message: ToComparer): Promise<FromComparer> {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(message);
      const reply = await response.promise;
      response = Promise.withResolvers();
      // If the thread ends between two messages, the next one fails.
      response.promise.catch(() => {});
      return reply;
    },
    async close() {
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener("abort", stop);
      response.promise.catch(() => {});
      await worker.terminate();
    },
  };
}

/**
 * Compares a built site with the live one and the private texts of the records, in a separate
 * thread. After a failure or a minute of processor time, the result says that it is incomplete. No thread is started
 * if there is no private text. Throws the signal's reason, and errors of reading texts.
 */
export async function comparePrivate(job: ComparisonJob): Promise<ComparedSites> {
  const { artifactDir, privateTexts, publicTexts, signal } = job;
  const { liveDir, mediaDir, maxLetters: letterLimit } = job;
  signal?.throwIfAborted();
  let comparer: ReturnType<typeof startComparer> | null = null;
  try {
    for await (const texts of privateTexts) {
      if (texts.length === 0) continue;
      comparer ??= startComparer(
        { artifactDir, liveDir, mediaDir, ...(letterLimit && { maxLetters: letterLimit }) },
        job,
      );
      await comparer.ask({ kind: "private", texts });
    }
    if (comparer === null) return nothingPrivate;
    let reply = await comparer.ask({ kind: "compare" });
    if (reply.kind === "found")
      reply = await comparer.ask({ kind: "public", texts: await publicTexts() });
    return reply.kind === "done" ? reply : notFinished(artifactDir);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ComparerFailed)) throw error;
    job.onFailure?.(error.cause);
    return notFinished(artifactDir);
  } finally {
    await comparer?.close();
  }
}
