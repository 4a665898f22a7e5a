import { rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { toQaError } from "../errors.ts";
import { runEngine } from "./engine.ts";
import type { EngineJob } from "./job.ts";
import { watchParent } from "./parent-watch.ts";
import type { FromEngine, ToEngine } from "./protocol.ts";

/** How long it takes at the most to end when nobody waits for it, in ms. */
const closeTimeoutMs = 2000;

/** Takes its own folder away where nothing is left in it. */
function leaveFolder(): void {
  try {
    rmdirSync(tmpdir());
  } catch {
    // Whoever started it takes away what is left.
  }
}

/**
 * The engine in a process of its own: what a site does to it, or it to the memory, ends with it. It
 * ends when whoever asked is gone.
 */
function serve(): void {
  const pendingCounts: ((count: number | null) => void)[] = [];
  const parentGone = new AbortController();
  const send = (message: FromEngine, then?: () => void) =>
    process.send?.(message, undefined, {}, () => then?.());
  const end = () => {
    // Asked last, when a browser's own files are gone: whoever made the folder may be gone, too.
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
    // A browser that is still there ends with this process.
    setTimeout(end, closeTimeoutMs).unref();
  });
  // Where a page has it go round in circles, it hears of nothing.
  watchParent(closeTimeoutMs + 1000);
}

serve();
