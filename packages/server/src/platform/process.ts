import { type ChildProcess, spawn } from "node:child_process";
import { AppError } from "../kit/errors.ts";

export interface RunOptions {
  cwd?: string;
  /** The child's whole environment: nothing is inherited. */
  env?: Record<string, string>;
  input?: string | Uint8Array;
  signal?: AbortSignal;
  /** Kills the child and its descendants after this many ms; defaults to 60,000. */
  timeoutMs?: number;
  /** Maximum bytes of stdout and of stderr; defaults to 64 MiB. */
  maxBytes?: number;
}

export interface RunResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** The default search path of children. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

interface Collected {
  text(): string;
}

function collect(stream: NodeJS.ReadableStream, limit: number, overflow: () => void): Collected {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) overflow();
    else chunks.push(chunk);
  });
  return { text: () => Buffer.concat(chunks).toString("utf8") };
}

/** Kills a child that leads its own process group, with the group. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/**
 * Runs a program to its end and collects its output. A non-zero exit code is a result, not an
 * error. Throws AppError: `unavailable` if the program can't be started, `upstream_failed` if its
 * time is up or it printed more than `maxBytes`; an abort throws the signal's reason.
 */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? { PATH: systemPath },
    stdio: "pipe",
    detached: true,
  });
  let failure: unknown;
  const stop = (reason: unknown) => {
    failure ??= reason;
    killGroup(child);
  };
  const limit = options.maxBytes ?? 64 * 1024 * 1024;
  const overflow = () => stop(new AppError("upstream_failed", `${command} printed too much.`));
  const stdout = collect(child.stdout, limit, overflow);
  const stderr = collect(child.stderr, limit, overflow);
  const onAbort = () => stop(options.signal?.reason);
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const timeout = setTimeout(
    () => stop(new AppError("upstream_failed", `${command} took too long.`)),
    options.timeoutMs ?? 60_000,
  );
  const settle = () => {
    clearTimeout(timeout);
    options.signal?.removeEventListener("abort", onAbort);
  };
  child.on("error", (cause) => {
    settle();
    reject(new AppError("unavailable", `${command} can't be started.`, { cause }));
  });
  child.on("close", (code) => {
    settle();
    if (failure !== undefined) reject(failure);
    else resolve({ stdout: stdout.text(), stderr: stderr.text(), exitCode: code ?? -1 });
  });
  // If a child exits without reading its input, the pipe fails, but its exit code matters.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return promise;
}
