import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../../../kit/errors.ts";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import { killGroup } from "../../../platform/process.ts";
import { eachLine } from "./lines.ts";
import { bubblewrapCommand, insidePaths } from "./sandbox-bubblewrap.ts";
import {
  type BuilderPaths,
  processLimits,
  type SandboxBounds,
  type SandboxCommand,
  type Slot,
} from "./sandbox-parts.ts";

/**
 * How far a build is kept in: `bubblewrap` is containment (no network, no files, no survivors);
 * `permission` is Node's own permission model, which stops mistakes but not everything meant badly;
 * `none` is a process with an empty environment and bounds.
 */
export type SandboxTier = "bubblewrap" | "permission" | "none";

/** A program that runs in a sandbox. */
export interface Sandboxed {
  readonly pid: number;
  readonly stdin: Writable;
  /** Both of the program's output streams. */
  readonly output: Readable[];
  /** Called with each line that the program writes to descriptor 3. */
  onMessage(listener: (line: string) => void): void;
  /** Resolves when the program, and in the bubblewrap tier all it started, is gone. Never rejects. */
  readonly gone: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves when, after that, everything it said has been read. */
  readonly drained: Promise<void>;
  /** Kills everything in the sandbox and waits until it is gone. */
  kill(): Promise<void>;
}

const drainMs = 500;
const maxMessageLength = 64 * 1024;

/** Where things are without a mount namespace: at their own places. */
function outsidePaths(slot: Slot): BuilderPaths {
  return {
    script: join(platformRoot, "src/features/release/builder/builder.ts"),
    site: slot.site,
    out: slot.out,
    temporary: slot.temporary,
  };
}

/** The paths that a builder in this tier is told. */
export function builderPaths(tier: SandboxTier, slot: Slot): BuilderPaths {
  return tier === "bubblewrap" ? insidePaths : outsidePaths(slot);
}

function outsideEnvironment(slot: Slot): Record<string, string> {
  return {
    PATH: "/usr/bin:/bin",
    HOME: slot.temporary,
    TMPDIR: slot.temporary,
    NODE_ENV: "production",
    ASTRO_TELEMETRY_DISABLED: "1",
    NO_COLOR: "1",
    LANG: "C.UTF-8",
  };
}

/** Node's permission model: reading the program and the slot, writing what a build writes. */
function permissionFlags(slot: Slot): string[] {
  const readable = [join(platformRoot, "package.json"), slot.dir];
  readable.push(...["src", "node_modules", "template"].map((name) => join(platformRoot, name)));
  // Vite and Astro ask at start what they run on, and take no for an answer only where it is "missing".
  readable.push(
    "/proc/sys/fs/binfmt_misc/WSLInterop",
    "/.dockerenv",
    "/run/.containerenv",
    "/run/WSL",
  );
  readable.push("/proc/self", "/proc/version");
  const writable = [slot.out, slot.temporary, join(slot.site, "app/.astro")];
  return [
    "--permission",
    "--disable-warning=SecurityWarning",
    "--allow-addons",
    "--allow-worker",
    // Astro runs esbuild as a process of its own, so what it starts is out of reach of these rules.
    "--allow-child-process",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
  ];
}

/** prlimit where the system has it. The number of processes is not bounded here: it is counted per user. */
function prlimitPrefix(bounds: SandboxBounds): string[] {
  const prlimit = "/usr/bin/prlimit";
  if (!existsSync(prlimit)) return [];
  return [prlimit, ...processLimits(bounds), "--"];
}

/** The command that runs Node with `nodeArguments` (paths as `builderPaths` gives them) in a tier. */
export function sandboxCommand(
  tier: SandboxTier,
  slot: Slot,
  bounds: SandboxBounds,
  nodeArguments: string[],
): SandboxCommand {
  if (tier === "bubblewrap") {
    return bubblewrapCommand(slot, bounds, ["/node", ...nodeArguments]);
  }
  const flags = tier === "permission" ? permissionFlags(slot) : [];
  const [command = nodeBinary, ...args] = [
    ...prlimitPrefix(bounds),
    nodeBinary,
    ...flags,
    ...nodeArguments,
  ];
  return { command, args };
}

/** The pid of the sandbox's first process, which bubblewrap writes to descriptor 4. */
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

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already: what was wanted.
  }
}

/**
 * Starts a sandbox command. In the bubblewrap tier killing means killing the first process of its pid
 * namespace: the kernel then ends every other one before it reports that process gone.
 * Throws AppError `unavailable` when the command can't be started.
 */
export async function launch(
  tier: SandboxTier,
  slot: Slot,
  { command, args }: SandboxCommand,
): Promise<Sandboxed> {
  const child: ChildProcess = spawn(command, args, {
    cwd: tier === "bubblewrap" ? "/" : slot.dir,
    env: tier === "bubblewrap" ? {} : outsideEnvironment(slot),
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const { promise: gone, resolve } = Promise.withResolvers<Awaited<Sandboxed["gone"]>>();
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();
  child.on("exit", (code, signal) => {
    resolve({ code, signal });
    // A survivor in the weaker tiers may hold the streams open; in the first one there is none.
    if (tier !== "bubblewrap") setTimeout(drain, drainMs).unref();
  });
  child.on("close", () => drain());
  await new Promise<void>((started, failed) => {
    child.once("spawn", started);
    child.once("error", (cause) =>
      failed(new AppError("unavailable", "The sandbox can't be started.", { cause })),
    );
  });
  child.on("error", () => {});
  const pid = child.pid ?? 0;
  const [stdin, stdout, stderr, messages, info] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
    Readable,
  ];
  const initPid = tier === "bubblewrap" ? readInitPid(info) : Promise.resolve(null);
  for (const stream of [stdin, stdout, stderr, messages, info]) stream.on("error", () => {});
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const init = await Promise.race([initPid, gone.then(() => null)]);
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
    gone,
    drained,
    kill,
  };
}
