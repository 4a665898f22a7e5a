import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { AppError } from "../../../kit/errors.ts";
import { type Binding, bubblewrapCommand } from "../../../platform/sandbox/bubblewrap.ts";
import {
  type Command,
  commandOf,
  type ProcessLimits,
  prlimitPrefix,
} from "../../../platform/sandbox/command.ts";
import { landlockCommand } from "../../../platform/sandbox/landlock.ts";
import { lowerTreePriority } from "../../../platform/process-tree.ts";
import { launch } from "../../../platform/sandbox/launch.ts";
import { eachLine } from "../../../platform/sandbox/lines.ts";
import {
  type MemoryBound,
  type MemoryGuard,
  openMemoryGuard,
} from "vitrine-qa/src/system/memory.ts";
import { sandboxUser } from "../sandbox-user.ts";
import { videoError } from "./failures.ts";
import {
  type FfmpegTools,
  findFfmpegTools,
  type FfmpegLocations,
  missingTools,
} from "./ffmpeg-tools.ts";

/**
 * How video processing is contained: `bubblewrap` and `landlock` have no network and no files except
 * the video and the output folder; `prlimit` is a process with an empty environment and limits.
 */
export type VideoSandboxTier = "bubblewrap" | "landlock" | "prlimit";

/** One call of a program, which reads one file and may write to one folder. */
export interface ToolCall {
  program: "ffmpeg" | "ffprobe";
  /** The only file that it sees; null for none. */
  input: string | null;
  /** The only folder that it may write to; null for none. */
  output: string | null;
  /** Its arguments, with the paths inside the sandbox. */
  arguments(paths: { input: string; output: string }): string[];
  /** Maximum bytes that it may write to one file. */
  fileBytes: number;
  /** Processor time that it may use on each processor, in ms. */
  cpuMs: number;
  /** How long it may print nothing, in ms: on a busy machine it is slow, but goes on. */
  silenceMs: number;
  signal: AbortSignal;
  /** Called with each printed line; `stop` ends the program. */
  onLine?: (line: string, stop: () => void) => void;
}

export interface ToolResult {
  /** 0 means success. */
  code: number;
  /** Whether it has used up its processor time, or printed nothing for too long. */
  timedOut: boolean;
  /** The beginning of its error output. */
  complaints: string;
}

/** Runs programs in a tier. */
export interface VideoSandbox {
  readonly tier: VideoSandboxTier;
  /**
   * Runs a program until it ends; no child process remains. An abort throws the signal's reason.
   */
  run(call: ToolCall): Promise<ToolResult>;
}

const niceness = "10";
const maxLineLength = 4096;
/** How a shell, and bubblewrap, tell of SIGKILL. */
const killedCode = 137;
const maxComplaints = 16_384;
const environment = { PATH: "/", HOME: "/tmp", LANG: "C" };

/** Debian resolves some shared libraries through links here; others are where the cache says. */
const linkerPaths = ["/etc/alternatives", "/etc/ld.so.cache", "/usr/local/lib"];

function bindings(tools: FfmpegTools, call: ToolCall): Binding[] {
  const list: Binding[] = [
    { from: tools[call.program], to: `/${call.program}` },
    ...[...linkerPaths, ...tools.libraries]
      .filter((path) => existsSync(path))
      .map((path) => ({ from: path, to: path })),
  ];
  if (call.input !== null) list.push({ from: call.input, to: "/in" });
  if (call.output !== null) list.push({ from: call.output, to: "/out", writable: true });
  return list;
}

/** Memory for the largest accepted video's frames in every thread, with the threads' stacks. */
function maxMemoryBytes(): number {
  return 4 * 2 ** 30 + availableParallelism() * 2 ** 28;
}

function boundsOf(call: ToolCall): ProcessLimits {
  const cores = availableParallelism();
  return {
    // Decoder, filters, and encoder each start threads depending on the number of processors.
    processes: 64 + 8 * cores,
    fileBytes: call.fileBytes,
    dataBytes: maxMemoryBytes(),
    cpuSeconds: Math.ceil((call.cpuMs / 1000) * cores),
  };
}

function commandFor(tier: VideoSandboxTier, tools: FfmpegTools, call: ToolCall): Command {
  const nice = ["/usr/bin/nice", "-n", niceness];
  if (tier === "prlimit") {
    const args = call.arguments({ input: call.input ?? "", output: call.output ?? "" });
    return commandOf([...nice, ...prlimitPrefix(boundsOf(call)), tools[call.program], ...args]);
  }
  if (tier === "landlock") {
    const { command, args } = landlockCommand({
      program: [
        tools[call.program],
        ...call.arguments({ input: call.input ?? "", output: call.output ?? "" }),
      ],
      readable: [tools[call.program], ...linkerPaths, ...tools.libraries, call.input ?? ""],
      writable: call.output === null ? [] : [call.output],
      environment,
      bounds: boundsOf(call),
      uid: sandboxUser(),
    });
    return commandOf([...nice, command, ...args]);
  }
  const { command, args } = bubblewrapCommand({
    program: [`/${call.program}`, ...call.arguments({ input: "/in", output: "/out" })],
    bindings: bindings(tools, call),
    scratch: [{ folder: "/tmp", bytes: 2 ** 20 }],
    environment,
    bounds: boundsOf(call),
    uid: sandboxUser(),
  });
  return commandOf([...nice, command, ...args]);
}

async function boundOf(guard: MemoryGuard): Promise<MemoryBound & AsyncDisposable> {
  const memory = await guard.bound(maxMemoryBytes());
  return { ...memory, [Symbol.asyncDispose]: memory.remove };
}

/** Creates the runner of a tier without testing it. */
function makeSandbox(tier: VideoSandboxTier, tools: FfmpegTools, guard: MemoryGuard): VideoSandbox {
  return {
    tier,
    async run(call) {
      call.signal.throwIfAborted();
      await using memory = await boundOf(guard);
      const sandboxed = await launch(memory.enclose(commandFor(tier, tools, call)), {
        contained: tier === "prlimit" ? null : tier,
        cwd: "/",
        env: {},
      });
      const [stdout, stderr] = sandboxed.output;
      let complaints = "";
      let timedOut = false;
      let isStopped = false;
      const stop = () => {
        isStopped = true;
        void sandboxed.kill();
      };
      const stopWatch = memory.watch(sandboxed.pid, stop);
      const silence = setTimeout(() => {
        timedOut = true;
        stop();
      }, call.silenceMs);
      let isLowered = false;
      eachLine(stdout, maxLineLength, (line) => {
        // Only now it has its own session.
        if (!isLowered) void lowerTreePriority(sandboxed.pid, Number(niceness));
        isLowered = true;
        silence.refresh();
        call.onLine?.(line, stop);
      });
      eachLine(stderr, maxLineLength, (line) => {
        if (complaints.length < maxComplaints) complaints += `${line}\n`;
      });
      sandboxed.stdin.end();
      call.signal.addEventListener("abort", stop, { once: true });
      if (call.signal.aborted) stop();
      const { code } = await sandboxed.exited;
      clearTimeout(silence);
      stopWatch();
      call.signal.removeEventListener("abort", stop);
      await sandboxed.outputClosed;
      call.signal.throwIfAborted();
      if (await memory.wasExceeded()) throw videoError("too_much_memory");
      // Nobody else kills it, so it has used up its processor time.
      const isKilled = code === null || code === killedCode;
      timedOut ||= isKilled && !isStopped;
      return { code: code ?? -1, timedOut, complaints };
    },
  };
}

/**
 * Why a tier doesn't work on this machine, found by running ffprobe and ffmpeg in it; null if it
 * works.
 */
async function problemOf(sandbox: VideoSandbox): Promise<string | null> {
  for (const program of ["ffprobe", "ffmpeg"] as const) {
    try {
      const { code, complaints } = await sandbox.run({
        program,
        input: null,
        output: null,
        arguments: () => ["-version"],
        fileBytes: 0,
        cpuMs: 20_000,
        silenceMs: 60_000,
        signal: new AbortController().signal,
      });
      if (code !== 0) return complaints.split("\n")[0] || `${program} does not start`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return null;
}

/**
 * Finds the programs and the best tier that works here by testing them; `reason` says why it isn't
 * the best one. `memory` limits their memory; by default, the method is found by testing. Throws
 * AppError `unavailable`, which says what to do, if there is none: ffmpeg is missing, or the mode
 * is `require` and bubblewrap doesn't work.
 */
export async function openVideoSandbox(
  mode: "auto" | "require" | "off",
  places: FfmpegLocations,
  memory?: MemoryGuard,
): Promise<{ sandbox: VideoSandbox; reason: string | null }> {
  const tools = await findFfmpegTools(places);
  if (tools === null) throw new AppError("unavailable", missingTools);
  const guard = memory ?? (await openMemoryGuard());
  let reason = "The sandbox is switched off (SANDBOX=off).";
  if (mode !== "off") {
    const contained = makeSandbox("bubblewrap", tools, guard);
    const problem = await problemOf(contained);
    if (problem === null) return { sandbox: contained, reason: null };
    reason = `bubblewrap doesn't work here: ${problem}`;
    // Another user, which root would need there, can't reach an instance that is only root's.
    if (sandboxUser() === null) {
      const substitute = makeSandbox("landlock", tools, guard);
      const why = await problemOf(substitute);
      if (why === null) return { sandbox: substitute, reason: null };
      reason = `${reason}; Landlock doesn't work, either: ${why}`;
    }
    if (mode === "require") {
      throw new AppError("unavailable", `Video needs the sandbox (SANDBOX=require), but ${reason}`);
    }
  }
  const bare = makeSandbox("prlimit", tools, guard);
  const problem = await problemOf(bare);
  if (problem !== null)
    throw new AppError("unavailable", `ffmpeg doesn't work on this server: ${problem}`);
  return { sandbox: bare, reason };
}
