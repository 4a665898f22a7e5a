import { write, writeSync } from "node:fs";

/** Where a log is written in the background, so that nobody waits for whoever reads it. */
export interface BackgroundDestination {
  /** Takes one whole line, with its end. It is dropped when too many wait already. */
  write(line: string): void;
  /** Writes everything that waits, and then each line as it comes. To be awaited before the process ends. */
  close(): Promise<void>;
  /** The same at once, for a process that can't wait any more. */
  flushSync(): void;
}

export interface BackgroundDestinationOptions {
  /** The file descriptor, or a function that gives it before each write; 2 (stderr) unless told. */
  descriptor?: number | (() => number);
  /** Lines that wait take no more memory than this, in characters; 8 Mi unless told. */
  maxPendingLength?: number;
}

/** So much is written at once, in characters, and what is less after so many ms. */
const batchLength = 32 * 1024;
const intervalMs = 250;
/** At most so much is written at once, in characters, so that a file that rotates keeps its bound. */
const maxWriteLength = 256 * 1024;
/** Before a reader that takes nothing is tried again, in ms. */
const retryMs = 50;
/** A process that ends waits no longer than this for a reader that takes nothing. */
const maxSyncAttempts = 40;
const retryCodes = new Set(["EAGAIN", "EBUSY", "EINTR"]);

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

function droppedLine(count: number): string {
  const entry = {
    level: 40,
    time: new Date().toISOString(),
    msg: `${count} log lines were dropped`,
  };
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Collects lines and writes them in the background, at most four times a second or each 32 KiB, in memory
 * that is bounded. A line that comes after a pause is written immediately. A kill loses what has come
 * since the last write; an orderly end, after `close`, loses nothing.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openBackgroundDestination(
  options: BackgroundDestinationOptions = {},
): BackgroundDestination {
  const { descriptor: given = 2, maxPendingLength = 8 * 1024 * 1024 } = options;
  let pending = "";
  let dropped = 0;
  let isClosed = false;
  /** What the system has been given and not yet taken. */
  let rest: Buffer | null = null;
  let written: PromiseWithResolvers<void> | null = null;
  let descriptor = 2;
  let startedAt = -Infinity;

  /** A file that can't be opened has stderr in its place. */
  function nextDescriptor(): number {
    try {
      return typeof given === "number" ? given : given();
    } catch {
      return 2;
    }
  }

  function takePending(): Buffer {
    if (pending.length > maxWriteLength) {
      const end = pending.lastIndexOf("\n", maxWriteLength) + 1 || pending.length;
      const first = pending.slice(0, end);
      pending = pending.slice(end);
      return Buffer.from(first);
    }
    const text = dropped === 0 ? pending : pending + droppedLine(dropped);
    pending = "";
    dropped = 0;
    return Buffer.from(text);
  }

  function isWaiting(): boolean {
    return rest !== null || pending !== "" || dropped > 0;
  }

  function finish(): void {
    rest = null;
    if (pending.length >= batchLength) start();
    else {
      written?.resolve();
      written = null;
    }
  }

  function writeRest(): void {
    if (rest === null) return;
    write(descriptor, rest, (error, count) => {
      if (rest === null) return;
      if (error !== null && retryCodes.has(error.code ?? "")) {
        setTimeout(writeRest, retryMs);
        return;
      }
      // A reader that has gone has no use for the rest.
      rest = error === null ? rest.subarray(count) : rest.subarray(rest.length);
      if (rest.length > 0) writeRest();
      else finish();
    });
  }

  function start(): void {
    if (rest !== null || (pending === "" && dropped === 0)) return;
    written ??= Promise.withResolvers<void>();
    rest = takePending();
    descriptor = nextDescriptor();
    startedAt = performance.now();
    writeRest();
  }

  function flushSync(): void {
    let left: Buffer = takePending();
    // What the system is writing needs its descriptor.
    if (rest === null) descriptor = nextDescriptor();
    let attempts = 0;
    while (left.length > 0 && attempts < maxSyncAttempts) {
      try {
        left = left.subarray(writeSync(descriptor, left));
        if (left.length === 0 && (pending !== "" || dropped > 0)) left = takePending();
      } catch (error) {
        if (!retryCodes.has(codeOf(error))) return;
        attempts += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  }

  function isDue(): boolean {
    return pending.length >= batchLength || performance.now() - startedAt >= intervalMs;
  }

  const timer = setInterval(start, intervalMs).unref();
  return {
    write(line) {
      if (pending.length + line.length > maxPendingLength) dropped += 1;
      else pending += line;
      if (isClosed) flushSync();
      else if (rest === null && isDue()) start();
    },
    async close() {
      clearInterval(timer);
      while (isWaiting()) {
        start();
        await written?.promise;
      }
      isClosed = true;
    },
    flushSync,
  };
}
