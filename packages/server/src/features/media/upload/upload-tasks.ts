import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../platform/log.ts";
import { makeAdoption } from "./adopt-uploads.ts";
import type { Jobs } from "./jobs.ts";
import type { SharedUploads } from "./shared-uploads.ts";
import type { Processing } from "./tus-processing.ts";
import type { ResumableStore, UploadStore } from "./tus-store.ts";

const sweepEveryMs = 60 * 60 * 1000;

export interface UploadTasksDependencies {
  store: ResumableStore;
  processing: Processing;
  jobs: Jobs;
  clock: Clock;
  log: Log;
}

/** What a server does for resumable uploads besides answering requests. */
export interface UploadTasks {
  /** Restores what an earlier process has left. */
  start(): Promise<void>;
  close(): Promise<void>;
}

interface BackgroundTask {
  /** Begins now, unless it is running. */
  run(): void;
  /** Waits until it has ended. */
  close(): Promise<void>;
}

/** Repeats something in the background, never twice at once. */
function repeatQuietly(log: Log, everyMs: number, work: () => Promise<void>): BackgroundTask {
  let running: Promise<void> | null = null;
  const run = () => {
    running ??= work()
      .catch((error: unknown) => {
        log.error({ err: error }, "uploads can't be removed or processed; will try again");
      })
      .finally(() => (running = null));
  };
  const timer = setInterval(run, everyMs).unref();
  return {
    run,
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

/** For uploads in a folder. */
export function makeFolderTasks(deps: UploadTasksDependencies, folder: UploadStore): UploadTasks {
  const sweeping = repeatQuietly(deps.log, sweepEveryMs, () => sweep(deps));
  return {
    async start() {
      await sweep(deps);
      await restoreFolder(folder, deps.jobs);
      await processAll(deps);
    },
    close: () => sweeping.close(),
  };
}

/** For uploads that any node can continue: the start doesn't wait for the object store. */
export function makeSharedTasks(
  deps: UploadTasksDependencies,
  { folder, shared, retryMs }: { folder: UploadStore; shared: SharedUploads; retryMs: number },
): UploadTasks {
  const { log, processing } = deps;
  const adoption = makeAdoption({
    ...deps,
    folder,
    shared,
    onAdopted: (id) => processing.start(id),
  });
  const tasks = [
    repeatQuietly(log, sweepEveryMs, () => sweep(deps)),
    repeatQuietly(log, retryMs, () => adoption.run()),
    repeatQuietly(log, retryMs, () => processAll(deps)),
  ];
  return {
    async start() {
      await adoption.announce().catch((error: unknown) => {
        log.warn({ err: error }, "uploads aren't shared yet; will try again");
      });
      // Before requests can make others.
      await shared.removeCopies();
      for (const task of tasks) task.run();
    },
    async close() {
      adoption.abort();
      shared.close();
      await Promise.all(tasks.map((task) => task.close()));
    },
  };
}

/** Removes expired uploads. */
export async function sweep({
  store,
  processing,
  clock,
  jobs,
}: UploadTasksDependencies): Promise<void> {
  for (const id of await store.sweep(clock.now(), processing.has)) jobs.delete(id);
}

/** What a folder has at the start: broken uploads are removed, the others can be continued. */
async function restoreFolder(folder: UploadStore, jobs: Jobs): Promise<void> {
  for (const id of await folder.ids()) {
    const upload = await folder.describe(id);
    if (!upload) {
      await folder.drop(id);
      continue;
    }
    if (upload.isShared) await folder.setShared(id, false);
    jobs.start(id);
    jobs.received(id, upload.offset / upload.size);
  }
}

async function processAll({ store, processing }: UploadTasksDependencies): Promise<void> {
  for (const id of await store.listUnprocessed()) processing.start(id);
}
