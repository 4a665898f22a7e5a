import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { lowerTreePriority, processorMs, processTree } from "../../../platform/process.ts";
import { launch, type SandboxedProcess } from "../../../platform/sandbox/launch.ts";
import { eachLine } from "../../../platform/sandbox/lines.ts";
import { sandboxUser } from "../sandbox-user.ts";
import { filesOfResponse, type ImageResponse, type ImageTask, readResponse } from "./protocol.ts";
import {
  commandEnvironment,
  type ImageSandboxTier,
  insideFolders,
  type TierChoice,
  workerCommand,
} from "./sandbox.ts";
import { makeWorkerWorkspace, sourceName, type WorkerWorkspace } from "./worker-folders.ts";

/** Maximum characters of a dying process's output that are kept for the log. */
const maxStderrLength = 2000;
const maxLineLength = 4096;

/**
 * Like ffmpeg, it has a lower priority than the processes that serve visitors. With an even lower one,
 * images would get nearly no time on a busy machine.
 */
const niceness = 10;

/** How much longer AVIF variants may take, which nobody waits for. */
const avifTimes = 4;

/** How many times longer than its limit a task may take on a busy machine. */
const maxWaitTimes = 20;

/** How many tasks a process works on before another takes its place. */
export const maxTasks = 100;

/** A process that converts one file at a time. */
export interface ImageProcess {
  /** False once it was told to end or has ended. */
  isAlive(): boolean;
  /**
   * Runs a task. If the process takes too long or dies, only this task fails, as `bad_media` with
   * reason `timeout` or `undecodable`. An abort kills it and throws the signal's reason. Paths are
   * those of this process; results are in the task's folder afterwards.
   */
  ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse>;
  /** Ends it; a running task fails. Resolves when the process has exited. */
  end(): Promise<void>;
}

export interface ImageProcessOptions {
  log: Log;
  /** How long it may be idle before it is ended, in ms. */
  idleMs: number;
  /** Limit of a task's processor time, in ms. */
  timeoutMs: number;
  /** Where to create its folders. */
  dir: string;
  tiers: TierChoice;
}

export function badMedia(reason: string, message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

const undecodable = () => badMedia("undecodable", "The image can't be decoded. Export it again.");

/** A process that waits for tasks. */
interface Started {
  tier: ImageSandboxTier;
  sandboxed: SandboxedProcess;
  /** The program itself: the innermost process. */
  pid: number;
  workspace: WorkerWorkspace;
  /** From now on this hears its lines. */
  attend(listener: (line: string) => void): void;
  /** The end of its error output. */
  complaints(): string;
}

/** Starts a process in a tier and waits until it is ready, or tells why it isn't. */
async function startIn(
  tier: ImageSandboxTier,
  { dir, timeoutMs }: ImageProcessOptions,
): Promise<Started | { problem: string }> {
  const user = tier === "prlimit" ? null : sandboxUser();
  const workspace = await makeWorkerWorkspace(dir, user);
  try {
    const cpuSeconds = Math.ceil((timeoutMs / 1000) * avifTimes * maxTasks);
    const sandboxed = await launch(workerCommand(tier, workspace, cpuSeconds), {
      contained: tier === "prlimit" ? null : tier,
      cwd: "/",
      env: commandEnvironment(tier),
    });
    let stderr = "";
    let listener = (_line: string) => {};
    const [stdout, errors] = sandboxed.output;
    stdout.resume();
    eachLine(errors, maxLineLength, (line) => {
      stderr = `${stderr}${line}\n`.slice(-maxStderrLength);
    });
    const isReady = Promise.withResolvers<boolean>();
    listener = (line) => isReady.resolve(line === '"ready"');
    sandboxed.onMessage((line) => listener(line));
    void sandboxed.exited.then(() => isReady.resolve(false));
    if (!(await isReady.promise)) {
      await sandboxed.kill();
      await workspace.remove();
      return { problem: stderr.trim().split("\n")[0] || "it doesn't start" };
    }
    await lowerTreePriority(sandboxed.pid, niceness);
    const pid = (await processTree(sandboxed.pid)).at(-1) ?? sandboxed.pid;
    return {
      tier,
      sandboxed,
      pid,
      workspace,
      attend(next) {
        listener = next;
      },
      complaints: () => stderr,
    };
  } catch (error) {
    await workspace.remove();
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

/**
 * Calls `onExceeded` when a process has used so much processor time from now on, which takes longer while
 * others keep the machine busy, or if it takes many times as long. The result ends that.
 */
async function limitWork(
  pid: number,
  limitMs: number,
  onExceeded: () => void,
): Promise<() => void> {
  const before = await processorMs(pid);
  const started = performance.now();
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const check = async (): Promise<void> => {
    const now = await processorMs(pid);
    if (isStopped) return;
    const used = before === undefined || now === undefined ? limitMs : now - before;
    const isOver = used >= limitMs || performance.now() - started > limitMs * maxWaitTimes;
    if (isOver) onExceeded();
    else timer = setTimeout(() => void check(), Math.max(100, limitMs - used));
  };
  timer = setTimeout(() => void check(), limitMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** The task as the worker sees it, which may only know its own folders. */
function insideTask({ tier, workspace }: Started, task: ImageTask): ImageTask {
  const { input, output } = insideFolders(tier, workspace);
  const file = join(input, sourceName);
  return task.task === "placeholder" ? { ...task, file } : { ...task, file, outDir: output };
}

/** Sends a task and waits for its response, or for what `stopped` rejects with. */
async function exchange(
  started: Started,
  task: ImageTask,
  stopped: Promise<never>,
): Promise<ImageResponse> {
  const { sandboxed, workspace } = started;
  const answered = Promise.withResolvers<string>();
  started.attend(answered.resolve);
  await workspace.give(task.file);
  sandboxed.stdin.write(`${JSON.stringify(insideTask(started, task))}\n`);
  const response = readResponse(task, await Promise.race([answered.promise, stopped]));
  if (task.task !== "placeholder") await workspace.take(filesOfResponse(response), task.outDir);
  await workspace.clear();
  return response;
}

/**
 * Starts a process; it ends when it is idle for too long. Throws AppError `unavailable` if it can't be
 * started.
 */
export async function startImageProcess(options: ImageProcessOptions): Promise<ImageProcess> {
  const { log, idleMs, timeoutMs, tiers } = options;
  const started = await tiers.run((tier) => startIn(tier, options));
  const { sandboxed, workspace } = started;
  let isAlive = true;
  let idleTimer: NodeJS.Timeout | undefined;
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});

  async function end(): Promise<void> {
    isAlive = false;
    clearTimeout(idleTimer);
    await sandboxed.kill();
    await gone;
  }

  function fail(reason: unknown): void {
    stopped.reject(reason);
    void end();
  }

  async function watchEnd(): Promise<void> {
    const { code, signal } = await sandboxed.exited;
    const stderr = started.complaints();
    if (isAlive) log.warn({ code, signal, stderr }, "an image worker died");
    isAlive = false;
    clearTimeout(idleTimer);
    stopped.reject(undecodable());
    await workspace.remove();
  }
  const gone = watchEnd().catch((error: unknown) => {
    log.error({ err: error }, "the folders of an image worker can't be removed");
  });

  async function ask(task: ImageTask, signal?: AbortSignal): Promise<ImageResponse> {
    signal?.throwIfAborted();
    clearTimeout(idleTimer);
    const limitMs = task.task === "avif" ? timeoutMs * avifTimes : timeoutMs;
    const stopLimit = await limitWork(started.pid, limitMs, () => {
      log.warn({ timeoutMs: limitMs }, "killed an image worker that took too long");
      fail(badMedia("timeout", "The image took too long to decode. Export it at a smaller size."));
    });
    const abort = () => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await exchange(started, task, stopped.promise);
    } catch (error) {
      // Whatever it does next can't be trusted.
      fail(error);
      throw error;
    } finally {
      stopLimit();
      signal?.removeEventListener("abort", abort);
      if (isAlive) idleTimer = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return { isAlive: () => isAlive, ask, end };
}
