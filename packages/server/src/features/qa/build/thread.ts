import { Worker } from "node:worker_threads";

/** A thread without work is ended after this, in ms; what it has in memory goes with it. */
const idleTime = 10 * 60_000;

/** A time in ms that goes on evenly and is the same in all threads. */
export function sharedTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export interface Thread<To> {
  /** Starts the thread where there is none. */
  send(message: To): void;
  /** A busy thread keeps the process alive; one that is not is ended after a while. */
  setBusy(busy: boolean): void;
  /** Ends it at once, whatever it does; nothing it said before is heard any more. */
  end(): void;
}

/** A thread that runs a file; `onExit` is told when it ended by itself. */
export function makeThread<To, From>(
  file: URL,
  onMessage: (message: From) => void,
  onExit: () => void,
): Thread<To> {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function hire(): Worker {
    const fresh = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      // Whatever the process was started with is for the process.
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
