import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError, toAppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { UploadQueue, UploadResult } from "./upload-queue.ts";
import type { Jobs } from "./jobs.ts";
import { readHead, sniffMedia } from "../media-type.ts";
import type { ClaimedUpload, ResumableStore } from "./tus-store.ts";

/** The longest pause before a full queue is tried again, ms. */
const maxWaitMs = 30_000;
const defaultRetryMs = 30_000;

/** Processes complete resumable uploads in the background. */
export interface Processing {
  start(id: string): void;
  /** Whether the upload is being processed. */
  has(id: string): boolean;
  /** Cancels processing and removes the upload, unless it was stored before; false if there was none. */
  cancel(id: string): Promise<boolean>;
  /** Stops all processing; the uploads stay for the next start. */
  close(): Promise<void>;
}

async function hashOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** A hard link to the file, or a copy if the file system doesn't support links. */
async function secondName(file: string, folder: string): Promise<string> {
  const name = join(folder, "upload");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await link(file, name).catch(() => copyFile(file, name));
  return name;
}

/** ms until a busy library can be retried; undefined for any other failure. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== "unavailable") return undefined;
  const seconds = Number(error.headers?.["retry-after"]);
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, maxWaitMs) : undefined;
}

interface ProcessingDependencies {
  /** Where to create a folder for one upload's file, on the same file system. */
  folder: string;
  uploadQueue: UploadQueue;
  jobs: Jobs;
  log: Log;
  store: Pick<ResumableStore, "claim" | "drop">;
  /** The pause before an upload that couldn't be read is tried again, in ms. */
  retryMs?: number | undefined;
}

/**
 * The library consumes the file that it is given; the upload's own file stays until there is a
 * result.
 */
async function attempt(
  { folder, uploadQueue }: ProcessingDependencies,
  upload: ClaimedUpload,
  sha256: string,
  signal: AbortSignal,
): Promise<UploadResult> {
  const own = join(folder, `resumed-${upload.id}`);
  try {
    const file = await secondName(upload.file, own);
    const { id, originalName, alt, size: bytes, onStored } = upload;
    const received = { file, originalName, alt, bytes, sha256 };
    return await uploadQueue.add(id, received, { signal, onStored });
  } finally {
    await removeTree(own);
  }
}

/**
 * Retries as long as the library's queue is full, however long a busy machine takes: what was received
 * completely isn't lost.
 */
async function ingestWithRetry(
  deps: ProcessingDependencies,
  upload: ClaimedUpload,
  signal: AbortSignal,
): Promise<UploadResult> {
  const sha256 = await hashOf(upload.file, signal);
  for (;;) {
    try {
      return await attempt(deps, upload, sha256, signal);
    } catch (error) {
      const ms = waitOf(error);
      if (ms === undefined || signal.aborted) throw error;
      deps.jobs.start(upload.id);
      deps.jobs.work(upload.id, { status: "waiting", fraction: null });
      await wait(ms, undefined, { signal });
    }
  }
}

/** Null if there is nothing to process, or once it is cancelled. */
async function claimWithRetry(
  { store, log, retryMs = defaultRetryMs }: ProcessingDependencies,
  id: string,
  cancelled: AbortSignal,
): Promise<ClaimedUpload | null> {
  while (!cancelled.aborted) {
    try {
      return await store.claim(id, cancelled);
    } catch (error) {
      if (cancelled.aborted) break;
      log.warn({ err: error, upload: id }, "an upload can't be processed yet; will try again");
    }
    await wait(retryMs, undefined, { signal: cancelled }).catch(() => {});
  }
  return null;
}

/**
 * Processes complete uploads: two images and one video at a time, so that neither waits for the
 * other.
 */
export function makeProcessing(deps: ProcessingDependencies): Processing {
  const { jobs, log, store } = deps;
  const images = makeSemaphore(2);
  const videos = makeSemaphore(1);
  const running = new Map<string, { controller: AbortController; ended: Promise<void> }>();
  let closed = false;

  async function process(id: string, cancelled: AbortSignal): Promise<void> {
    const upload = await claimWithRetry(deps, id, cancelled);
    if (upload === null) {
      if (!cancelled.aborted || closed) return;
      jobs.delete(id);
      await store.drop(id);
      return;
    }
    if (!jobs.isRunning(id)) jobs.start(id);
    jobs.work(id, { status: "waiting", fraction: null });
    const signal = AbortSignal.any([cancelled, upload.signal]);
    try {
      const { kind } = sniffMedia(await readHead(upload.file));
      const line = kind === "video" ? videos : images;
      await line.run(() => ingestWithRetry(deps, upload, signal), signal);
    } catch (error) {
      if (closed) return upload.release();
      if (signal.aborted) {
        jobs.delete(id);
      } else {
        jobs.failed(id, error);
        const level = toAppError(error).code === "internal" ? "error" : "info";
        log[level]({ err: error, upload: id }, "an upload wasn't accepted");
      }
    }
    await upload.end(jobs.find(id));
  }

  return {
    start(id) {
      if (closed || running.has(id)) return;
      const controller = new AbortController();
      const ended = process(id, controller.signal)
        .catch((error: unknown) => log.error({ err: error, upload: id }, "an upload is lost"))
        .finally(() => running.delete(id));
      running.set(id, { controller, ended });
    },
    has: (id) => running.has(id),
    async cancel(id) {
      const found = running.get(id);
      found?.controller.abort();
      await found?.ended;
      return found !== undefined;
    },
    async close() {
      closed = true;
      for (const { controller } of running.values()) controller.abort();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
