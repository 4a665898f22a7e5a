import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { Config } from "../../../platform/config.ts";
import { nodeBinary, programFile } from "../../../platform/paths.ts";
import { type Binding, bubblewrapCommand } from "../../../platform/sandbox/bubblewrap.ts";
import {
  type Command,
  commandOf,
  type ProcessLimits,
  prlimitPrefix,
} from "../../../platform/sandbox/command.ts";
import { landlockCommand } from "../../../platform/sandbox/landlock.ts";
import {
  programBindings,
  programEnvironment,
  programFiles,
  programFolder,
} from "../../../platform/sandbox/program-files.ts";
import { sandboxUser } from "../sandbox-user.ts";

/**
 * How the decoding of images is contained: `bubblewrap` and `landlock` have no network and no files
 * except the program, fonts, and the folders of one worker; `prlimit` is a process with an empty
 * environment and limits.
 */
export type ImageSandboxTier = "bubblewrap" | "landlock" | "prlimit";

/** The folders of one worker: it reads one and writes to the other. */
export interface WorkerFolders {
  input: string;
  output: string;
}

/** Fonts for drawings in SVG, and what finds them. */
const fonts = [
  "/etc/fonts",
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  "/usr/share/fontconfig",
  "/var/cache/fontconfig",
];

/**
 * Otherwise, glibc keeps a heap for each thread, and memory freed by one thread isn't available to
 * others.
 */
const environment = { MALLOC_ARENA_MAX: "1" };

const nodeArguments = ["--expose-gc", "--max-semi-space-size=1"];
const workerPath = "packages/server/src/features/media/image/worker.ts";
const entry = programFile(join(import.meta.dirname, "worker.ts"));
const insideEntry = programFile(join(programFolder, workerPath));

/** The folders as the worker sees them. */
export function insideFolders(tier: ImageSandboxTier, folders: WorkerFolders): WorkerFolders {
  return tier === "bubblewrap" ? { input: "/in", output: "/out" } : folders;
}

/** What one process may use; its time is limited by who waits for it. */
function boundsOf(cpuSeconds: number): ProcessLimits {
  return {
    processes: 64,
    // A HEIC photo is decoded to a file first.
    fileBytes: 2 ** 30,
    // Pixels of the largest accepted image with 16 bits a channel, several times, and what Node
    // reserves without using it.
    dataBytes: 6 * 2 ** 30,
    cpuSeconds,
  };
}

/** The command of a worker in a tier; `cpuSeconds` limits its processor time in all. */
export function workerCommand(
  tier: ImageSandboxTier,
  folders: WorkerFolders,
  cpuSeconds: number,
): Command {
  const bounds = boundsOf(cpuSeconds);
  const { input, output } = folders;
  if (tier === "prlimit") {
    return commandOf([...prlimitPrefix(bounds), nodeBinary, ...nodeArguments, entry]);
  }
  if (tier === "landlock") {
    return landlockCommand({
      program: [nodeBinary, ...nodeArguments, entry],
      readable: [...programFiles(), ...fonts, input],
      writable: [output],
      environment,
      bounds,
      uid: sandboxUser(),
    });
  }
  const bindings: Binding[] = [
    ...programBindings(),
    ...fonts.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
    { from: input, to: "/in" },
    { from: output, to: "/out", writable: true },
  ];
  return bubblewrapCommand({
    program: ["/node", ...nodeArguments, insideEntry],
    bindings,
    scratch: [{ folder: "/tmp", bytes: 2 ** 20 }],
    environment: { ...environment, ...programEnvironment() },
    bounds,
    uid: sandboxUser(),
  });
}

/** The environment of the command itself: a contained program gets its own. */
export function commandEnvironment(tier: ImageSandboxTier): Record<string, string> {
  return tier === "prlimit" ? environment : {};
}

/** Starts something in the best tier that works on this machine. */
export interface TierChoice {
  /**
   * `start` resolves to what it has started, or to why that doesn't work in this tier. Once a tier
   * has worked, no other is tried. Throws AppError `unavailable` if none works.
   */
  run<T>(start: (tier: ImageSandboxTier) => Promise<T | { problem: string }>): Promise<T>;
}

const isProblem = (found: unknown): found is { problem: string } =>
  typeof found === "object" && found !== null && "problem" in found;

function tiersOf(mode: Config["sandbox"]): ImageSandboxTier[] {
  if (mode === "off") return ["prlimit"];
  // Another user, which root would need there, can't reach an instance that is only root's.
  const contained: ImageSandboxTier[] =
    sandboxUser() === null ? ["bubblewrap", "landlock"] : ["bubblewrap"];
  return mode === "require" ? contained : [...contained, "prlimit"];
}

/**
 * Chooses when the first worker starts. `onWeak` is called if images aren't contained, with the
 * reason.
 */
export function makeTierChoice(
  mode: Config["sandbox"],
  onWeak: (reason: string) => void,
): TierChoice {
  let chosen: ImageSandboxTier | undefined;
  let choosing: Promise<unknown> | undefined;

  async function choose<T>(
    start: (tier: ImageSandboxTier) => Promise<T | { problem: string }>,
  ): Promise<T> {
    const problems: string[] = mode === "off" ? ["The sandbox is switched off (SANDBOX=off)."] : [];
    for (const tier of tiersOf(mode)) {
      const found = await start(tier);
      if (!isProblem(found)) {
        chosen = tier;
        if (tier === "prlimit") onWeak(problems.join("; "));
        return found;
      }
      problems.push(`${tier} doesn't work here: ${found.problem}`);
    }
    const reason = problems.join("; ");
    const message =
      mode === "require"
        ? `Images need the sandbox (SANDBOX=require), but ${reason}`
        : `The image worker can't be started: ${reason}`;
    throw new AppError("unavailable", message);
  }

  async function run<T>(
    start: (tier: ImageSandboxTier) => Promise<T | { problem: string }>,
  ): Promise<T> {
    if (chosen === undefined && choosing !== undefined) {
      await choosing.catch(() => {});
      return run(start);
    }
    if (chosen === undefined) {
      const first = choose(start).finally(() => {
        choosing = undefined;
      });
      choosing = first;
      return first;
    }
    const found = await start(chosen);
    if (!isProblem(found)) return found;
    const cause = new Error(found.problem);
    throw new AppError("unavailable", "The image worker can't be started.", { cause });
  }

  return { run };
}
