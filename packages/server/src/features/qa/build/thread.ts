import { Worker } from "node:worker_threads";
import { programFile } from "../../../platform/paths.ts";

/** An idle thread is ended after this time, in ms, and its memory is freed. */
const idleTime = 10 * 60_000;

/** A monotonic time in ms that is the same in all threads. */
export function sharedTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export interface Thread<To> {
  /** Starts the thread if there is none. */
  send(message: To): void;
  /** A busy thread keeps the process alive; an idle one ends after a while. */
  setBusy(busy: boolean): void;
  /** Terminates it immediately; later messages are ignored. */
  end(): void;
}

/** A thread that runs a file; `onExit` is called if it ends by itself. */
export function makeThread<To, From>(
  file: URL,
  onMessage: (message: From) => void,
  onExit: () => void,
): Thread<To> {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function hire(): Worker {
    const fresh = new Worker(programFile(file), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      // The process's own options are not for the thread.
      execArgv: [],
    });
    fresh.on("message", (message: From) => {
      if (worker === fresh) onMessage(message);
    });
    fresh.on("error", () => fresh === worker && onExit());
    fresh.on("exit", () => fresh === worker && onExit());
    fresh.unref();
    return fresh;
  }

  function end(): void {
    clearTimeout(idle);
    void worker?.terminate();
    worker = null;
  }

  return {
    send(message) {
      worker ??= hire();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(message);
    },
    setBusy(busy) {
      clearTimeout(idle);
      if (busy) worker?.ref();
      else {
        worker?.unref();
        idle = setTimeout(end, idleTime).unref();
      }
    },
    end,
  };
}
