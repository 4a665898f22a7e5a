import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import { killGroup } from "../process.ts";
import type { Command } from "./command.ts";
import { eachLine } from "./lines.ts";
import { landlockFilter } from "./landlock.ts";
import { seccompFilter } from "./seccomp.ts";

/** A program running in a sandbox. */
export interface SandboxedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  /** The program's stdout and stderr. */
  readonly output: [stdout: Readable, stderr: Readable];
  /** Called with each line that the program writes to descriptor 3. */
  onMessage(listener: (line: string) => void): void;
  /**
   * Resolves when the program and, if contained, all its descendants have exited. Never rejects.
   */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves when, after that, all output has been read. */
  readonly outputClosed: Promise<void>;
  /** Whether the program has ended. */
  hasEnded(): boolean;
  /** Kills everything in the sandbox and waits until it has exited. */
  kill(): Promise<void>;
}

export interface LaunchOptions {
  /**
   * What contains the command: bubblewrap, which creates a PID namespace, or the guard of Landlock,
   * which ends the program's group; null: nothing does.
   */
  contained: "bubblewrap" | "landlock" | null;
  cwd: string;
  /** The command's whole environment. */
  env: Record<string, string>;
}

const outputTimeoutMs = 500;
/** How long the kernel may take to end all remaining processes of a contained program, in ms. */
const exitTimeoutMs = 10_000;
const maxMessageLength = 64 * 1024;

/** The PID of the sandbox's first process, which is written to descriptor 4. */
function readInitPid(stream: Readable): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
    if (pid !== undefined) resolve(Number(pid));
  });
  stream.on("error", () => resolve(null));
  stream.on("close", () => resolve(null));
  return promise;
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return /^\d+ \(.*\) [^ZX]/s.test(stat);
}

/** The first process of a namespace ends only after all others; a guard has waited for all. */
async function waitForExit(init: number): Promise<void> {
  const deadline = performance.now() + exitTimeoutMs;
  while (performance.now() < deadline && (await isRunning(init))) await delay(2);
}

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is already gone.
  }
}

type Streams = [
  stdin: Writable,
  stdout: Readable,
  stderr: Readable,
  messages: Readable,
  info: Readable,
  filter: Writable | null,
];

/**
 * Starts a command. If it is contained, killing it means killing its first process: the kernel, or
 * the guard, then ends all others before that one is reported as gone. Throws AppError
 * `unavailable` if the command can't be started.
 */
export async function launch(
  { command, args }: Command,
  { contained, cwd, env }: LaunchOptions,
): Promise<SandboxedProcess> {
  // An uncontained program must not inherit the last one, because nobody would read or close it.
  const stdio = [...Array<"pipe">(5).fill("pipe"), contained ? "pipe" : "ignore"] as const;
  const child: ChildProcess = spawn(command, args, { cwd, env, stdio: [...stdio], detached: true });
  const { promise: ended, resolve } = Promise.withResolvers<Awaited<SandboxedProcess["exited"]>>();
  const { promise: outputEnded, resolve: readRest } = Promise.withResolvers<void>();
  child.on("exit", (code, signal) => {
    resolve({ code, signal });
    // In the weaker tiers, a surviving process can keep the streams open; contained, there is none.
    if (!contained) setTimeout(readRest, outputTimeoutMs).unref();
  });
  child.on("close", () => readRest());
  await new Promise<void>((started, failed) => {
    child.once("spawn", started);
    child.once("error", (cause) =>
      failed(new AppError("unavailable", "The sandbox can't be started.", { cause })),
    );
  });
  child.on("error", () => {});
  const pid = child.pid ?? 0;
  const [stdin, stdout, stderr, messages, info, filter] = child.stdio as unknown as Streams;
  filter?.on("error", () => {});
  filter?.end((contained === "landlock" ? landlockFilter() : seccompFilter()) ?? "");
  const initPid = contained ? readInitPid(info) : Promise.resolve(null);
  for (const stream of [stdin, stdout, stderr, messages, info]) stream.on("error", () => {});
  // Bubblewrap ends with the program, and the kernel ends its descendants a moment later.
  const gone = ended.then(async (how) => {
    const init = await initPid;
    if (init !== null) await waitForExit(init);
    return how;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (!hasEnded()) {
      const init = await Promise.race([initPid, ended.then(() => null)]);
      if (init === null) killGroup(child);
      else signalQuietly(init);
    }
    await gone;
  };
  return {
    pid,
    stdin,
    output: [stdout, stderr],
    onMessage: (listener) => eachLine(messages, maxMessageLength, listener),
    exited: gone,
    outputClosed: outputEnded,
    hasEnded,
    kill,
  };
}
