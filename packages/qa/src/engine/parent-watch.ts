import { Socket } from "node:net";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/*
 * Ends this process when its parent is gone, even while an endless loop blocks its main thread: a
 * separate thread reads standard input, a pipe that nobody writes to and that closes when the
 * parent ends.
 */

interface Watch {
  graceMs: number;
}

/**
 * Starts the watch; standard input has to be a pipe that the parent keeps open.
 * @param graceMs How long the process may take to exit by itself.
 */
export function watchParent(graceMs: number): void {
  const watch: Watch = { graceMs };
  const worker = new Worker(new URL(import.meta.url), {
    workerData: watch,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  // Without it, only the watch is missing.
  worker.on("error", () => {});
  worker.unref();
}

function listen({ graceMs }: Watch): void {
  const end = () => setTimeout(() => process.kill(process.pid, "SIGKILL"), graceMs);
  new Socket({ fd: 0 })
    .on("error", () => {})
    .once("close", end)
    .resume();
}

if (!isMainThread && (workerData as Watch | null)?.graceMs !== undefined)
  listen(workerData as Watch);
