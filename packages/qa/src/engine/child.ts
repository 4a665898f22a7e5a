import { rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { toQaError } from "../errors.ts";
import { runEngine } from "./engine.ts";
import type { EngineJob } from "./job.ts";
import { watchParent } from "./parent-watch.ts";
import type { FromEngine, ToEngine } from "./protocol.ts";

/** How long shutting down may take, in ms, if the parent is gone. */
const closeTimeoutMs = 2000;

/** Removes its own folder if it is empty. */
function leaveFolder(): void {
  try {
    rmdirSync(tmpdir());
  } catch {
    // The parent process removes the rest.
  }
}

/**
 * Runs the engine in a process of its own, so that a crash or a full memory ends only this process.
 * Exits when the parent is gone.
 */
function serve(): void {
  const pendingCounts: ((count: number | null) => void)[] = [];
  const parentGone = new AbortController();
  const send = (message: FromEngine, then?: () => void) =>
    process.send?.(message, undefined, {}, () => then?.());
  const end = () => {
    // Last, after the browser's own files are gone, because the parent that made the folder may be
    // gone, too.
    process.once("exit", leaveFolder);
    process.exit(0);
  };
  async function run(job: EngineJob): Promise<void> {
    try {
      const result = await runEngine(job, {
        signal: parentGone.signal,
        progress: (progress) => send({ kind: "progress", progress }),
        countMessages() {
          const { promise, resolve } = Promise.withResolvers<number | null>();
          pendingCounts.push(resolve);
          send({ kind: "count" });
          return promise;
        },
      });
      send({ kind: "done", result }, end);
    } catch (error) {
      const { code, message } = toQaError(error);
      send({ kind: "failed", code, message, stack: String((error as Error).stack ?? error) }, end);
    }
  }
  process.on("message", (message: ToEngine) => {
    if (message.kind === "count") pendingCounts.shift()?.(message.count);
    else void run(message.job);
  });
  process.on("disconnect", () => {
    parentGone.abort(new Error("Nobody waits for it."));
    // A browser that is still running ends with this process.
    setTimeout(end, closeTimeoutMs).unref();
  });
  // While a page keeps it in an endless loop, it receives nothing.
  watchParent(closeTimeoutMs + 1000);
}

serve();
