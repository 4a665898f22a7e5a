import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { getPriority, setPriority } from "node:os";
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

async function parentOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The process and all its running descendants, from /proc; only itself without /proc. */
export async function processTree(root: number): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const children = new Map<number, number[]>();
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const parent = await parentOf(name).catch(() => undefined);
    if (parent === undefined) continue;
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (let i = 0; i < tree.length; i += 1) tree.push(...(children.get(tree[i] ?? 0) ?? []));
  return tree;
}

/** Sends a signal to a process and all its descendants; those already gone are skipped. */
export async function killTree(pid: number, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  for (const member of (await processTree(pid)).toReversed()) {
    try {
      process.kill(member, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/**
 * Lowers the priority of a process that was just spawned, like `nice`. Its later threads and
 * children inherit it.
 */
export function lowerPriority({ pid }: Pick<ChildProcess, "pid">, niceness: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // It has ended, or this machine has no priorities, so it runs normally.
  }
}

/** The ID of a process's session; undefined if it has ended. */
async function sessionOf(pid: number | "self"): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3];
}

/** Clock ticks per second on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** The processor time of a process so far, in ms; undefined if it has ended, or without /proc. */
export async function processorMs(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

function lowerThread(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // It has ended, or this machine has no priorities.
  }
}

/** How often to try again where the kernel allows only one such change in 100 ms. */
const sessionAttempts = 5;

async function lowerSession(pid: number, niceness: number): Promise<void> {
  for (let attempt = 1; attempt <= sessionAttempts; attempt += 1) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, String(niceness));
      return;
    } catch (error) {
      // Without such groups, the file is missing, and the priority of each process counts.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await delay(150);
    }
  }
}

/** How far a session is put behind: lower ones get nearly nothing where others are always busy. */
const maxSessionNiceness = 5;

/**
 * Lowers the priority of a process and all that it has started, in sessions of their own, too. Where
 * the kernel shares processor time among sessions (sched_autogroup_enabled, see sched(7)), a process's
 * priority counts only within its session: a contained program, which always has its own, would
 * get as much time as the server that started it. Such a session is behind all others of the machine,
 * not only the server's, so it keeps a third of a usual share. `niceness` is that of the processes, at
 * most 19.
 */
export async function lowerTreePriority(pid: number, niceness: number): Promise<void> {
  const own = await sessionOf("self");
  const lowered = new Set([own]);
  for (const member of await processTree(pid)) {
    const session = await sessionOf(member);
    if (session === undefined) continue;
    // To Linux, a priority is one of a thread.
    for (const thread of await readdir(`/proc/${member}/task`).catch(() => [])) {
      lowerThread(Number(thread), niceness);
    }
    if (lowered.has(session)) continue;
    lowered.add(session);
    await lowerSession(member, Math.min(niceness, maxSessionNiceness));
  }
}
