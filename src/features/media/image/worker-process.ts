import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { nodeBinary } from "../../../platform/paths.ts";
import type { ImageAnswer, ImageTask } from "./protocol.ts";

const entry = join(import.meta.dirname, "worker.ts");

/** How much of what a process says on its way down is kept for the log, in characters. */
const lastWords = 2000;

/** One process that works on one file at a time. */
export interface ImageProcess {
  /** False once it was told to end, or ended. */
  isAlive(): boolean;
  /**
   * Hands over a task. A process that takes too long or dies fails that task alone, as `bad_media`
   * with reason `timeout` or `undecodable`; one that never started as `unavailable`. An abort kills
   * it and throws the signal's reason.
   */
  ask(task: ImageTask, signal?: AbortSignal): Promise<ImageAnswer>;
  /** Ends it for good; a task under way fails. Resolves when the process is gone. */
  end(): Promise<void>;
}

export interface ImageProcessOptions {
  log: Log;
  /** How long it may lie idle before it is ended, in ms. */
  idleMs: number;
  /** How long a task may take, in ms. */
  timeoutMs: number;
  /** A folder of the program's own in which compiled code is kept: a process then starts in half the time. */
  cacheDir: string | undefined;
}

/** glibc keeps a heap for each thread otherwise, and what one has freed the others can't use. */
const allocation = { MALLOC_ARENA_MAX: "1" };

function badMedia(reason: "timeout" | "undecodable", message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

interface Running {
  kill(): void;
  send(task: ImageTask): void;
  exited: Promise<unknown>;
}

/** Starts the process; it takes nothing of our environment along. `gone` hears why it ended. */
function startChild(
  { log, cacheDir }: ImageProcessOptions,
  on: { answer(answer: ImageAnswer): void; gone(reason: AppError): void },
): Running {
  const child = fork(entry, [], {
    execPath: nodeBinary,
    execArgv: ["--expose-gc", "--max-semi-space-size=1"],
    env: { ...allocation, ...(cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: cacheDir }) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let started = false;
  let killed = false;
  let words = "";
  const gone = (cause?: Error) => {
    const message = "The picture worker can't be started.";
    if (!started) on.gone(new AppError("unavailable", message, { cause }));
    else on.gone(badMedia("undecodable", "The picture can't be decoded."));
  };
  child.stderr?.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString("utf8")).slice(-lastWords);
  });
  child.on("message", (message: ImageAnswer | "ready") => {
    if (message === "ready") started = true;
    else on.answer(message);
  });
  child.on("error", gone);
  child.on("exit", (code, signal) => {
    if (!killed) log.warn({ code, signal, stderr: words }, "an image worker died");
    gone();
  });
  return {
    exited: once(child, "exit").catch(() => undefined),
    // A channel that fails is told by the end of the process.
    send: (task) => void child.send(task, () => {}),
    kill() {
      killed = true;
      child.kill("SIGKILL");
    },
  };
}

/** Starts one; it ends by itself when it lies idle. */
export function startImageProcess(options: ImageProcessOptions): ImageProcess {
  const { log, idleMs, timeoutMs } = options;
  let alive = true;
  let idleTimer: NodeJS.Timeout | undefined;
  let current: PromiseWithResolvers<ImageAnswer> | undefined;
  const child = startChild(options, { answer: (answer) => current?.resolve(answer), gone: fail });

  function end(): void {
    alive = false;
    clearTimeout(idleTimer);
    child.kill();
  }

  function fail(reason: unknown): void {
    end();
    current?.reject(reason);
  }

  async function ask(task: ImageTask, signal?: AbortSignal): Promise<ImageAnswer> {
    signal?.throwIfAborted();
    clearTimeout(idleTimer);
    current = Promise.withResolvers();
    const timeout = setTimeout(() => {
      log.warn({ timeoutMs }, "an image worker was killed: it took too long");
      fail(badMedia("timeout", "The picture took too long to decode."));
    }, timeoutMs);
    const abort = () => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    child.send(task);
    try {
      return await current.promise;
    } finally {
      clearTimeout(timeout);
      signal?.removeEventListener("abort", abort);
      current = undefined;
      if (alive) idleTimer = setTimeout(end, idleMs).unref();
    }
  }

  return {
    isAlive: () => alive,
    ask,
    async end() {
      end();
      await child.exited;
    },
  };
}
