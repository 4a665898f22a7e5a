import { Socket } from "node:net";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/*
 * Ends this process when the one that started it is gone, even while a loop keeps it from hearing
 * anything: a thread of its own listens to the pipe of the standard input, which nobody writes to and
 * which closes with its other end.
 */

interface Watch {
  graceMs: number;
}

/**
 * Starts the watch; the standard input has to be a pipe that its parent holds open.
 * @param graceMs How long the process may take to end by itself.
 */
export function watchParent(graceMs: number): void {
  const watch: Watch = { graceMs };
  const worker = new Worker(new URL(import.meta.url), {
    workerData: watch,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  // Without it nothing is lost but the watch.
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
