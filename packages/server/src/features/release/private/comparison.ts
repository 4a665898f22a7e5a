import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { PrivateText } from "../../../kit/private-text.ts";
import type { PrivateComparison } from "./compare-sites.ts";
import type { ComparedFolders, FromComparer, ToComparer } from "./compare-worker.ts";

/** A comparison may take this long, in ms: many times what a large site takes. */
const maxMs = 60_000;
/**
 * What its thread may hold beside its heap, in bytes: what a PDF unpacks lies there, where the bounds of a
 * thread don't reach.
 */
const maxBufferBytes = 512 * 1024 * 1024;
const watchMs = 200;

const nothing: PrivateComparison = { findings: [], total: 0, fingerprint: "", incomplete: null };

/** Private texts in batches that are read one after the other. */
export type PrivateTexts = AsyncIterable<readonly PrivateText[]>;

export interface ComparisonJob extends ComparedFolders {
  privateTexts: PrivateTexts;
  /** What everyone may read: asked for once there is something private. */
  publicTexts(): Promise<string[]>;
  signal?: AbortSignal | undefined;
  /** 512 MiB unless given. */
  maxBufferBytes?: number | undefined;
  /** Called with what broke the comparison; the result says only that it is incomplete. */
  onFailure?(cause: unknown): void;
}

function notFinished(artifactDir: string): PrivateComparison {
  const incomplete = "The comparison with private texts did not finish.";
  const fingerprint = createHash("sha256").update(`${incomplete}\0${artifactDir}`).digest("hex");
  return { ...nothing, fingerprint, incomplete };
}

/** The thread broke, or took too long. */
class ComparerFailed extends Error {}

type ComparerOptions = Pick<ComparisonJob, "signal" | "maxBufferBytes">;

/** A thread with bounds of time and memory that answers each message in its turn. */
function startComparer(
  folders: ComparedFolders,
  { signal, maxBufferBytes: maxBytes = maxBufferBytes }: ComparerOptions,
) {
  const worker = new Worker(new URL("./compare-worker.ts", import.meta.url), {
    workerData: folders,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // Whatever the process was started with is for the process.
    execArgv: [],
  });
  let answer = Promise.withResolvers<FromComparer>();
  answer.promise.catch(() => {});
  const fail = (cause?: unknown) => answer.reject(new ComparerFailed("It ended.", { cause }));
  const stop = () => fail(signal?.reason);
  const timer = setTimeout(() => fail(new Error("It took too long.")), maxMs);
  const look = async () => {
    const { external_memory: bytes } = await worker.getHeapStatistics();
    if (bytes > maxBytes) fail(new Error("It took too much memory."));
  };
  // A thread that has ended can't be asked, and needs no bound.
  const watch = setInterval(() => void look().catch(() => {}), watchMs);
  signal?.addEventListener("abort", stop, { once: true });
  worker.on("message", (message: FromComparer) => answer.resolve(message));
  worker.on("error", fail);
  worker.on("exit", () => fail());
  return {
    async ask(message: ToComparer): Promise<FromComparer> {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(message);
      const said = await answer.promise;
      answer = Promise.withResolvers();
      // What ends the thread between two messages is met by the next one.
      answer.promise.catch(() => {});
      return said;
    },
    async close() {
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener("abort", stop);
      answer.promise.catch(() => {});
      await worker.terminate();
    },
  };
}

/**
 * Compares a built site with the live one and the private texts of the records, in a thread of its
 * own. What breaks or takes longer than a minute gives a result that says it is incomplete. No thread
 * is started where there is no private text. Throws the signal's reason, and what reading texts throws.
 */
export async function comparePrivate(job: ComparisonJob): Promise<PrivateComparison> {
  const { artifactDir, privateTexts, publicTexts, signal } = job;
  const { liveDir, mediaDir, mostLetters } = job;
  signal?.throwIfAborted();
  let comparer: ReturnType<typeof startComparer> | null = null;
  try {
    for await (const texts of privateTexts) {
      if (texts.length === 0) continue;
      comparer ??= startComparer(
        { artifactDir, liveDir, mediaDir, ...(mostLetters && { mostLetters }) },
        job,
      );
      await comparer.ask({ kind: "private", texts });
    }
    if (comparer === null) return nothing;
    const said = await comparer.ask({ kind: "public", texts: await publicTexts() });
    return said.kind === "done" ? said.result : notFinished(artifactDir);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ComparerFailed)) throw error;
    job.onFailure?.(error.cause);
    return notFinished(artifactDir);
  } finally {
    await comparer?.close();
  }
}
