import { getPriority } from "node:os";
import { join } from "node:path";
import { makeBuildLog, type BuildLog } from "./build-log.ts";
import { type BuilderMessage, readBuilderMessage } from "./builder-protocol.ts";
import type { CompiledCode } from "./code-cache.ts";
import { builderPaths, launch, linkCode, sandboxCommand, type SandboxTier } from "./sandbox.ts";
import { removeTree } from "../../../platform/files.ts";
import { lowerTreePriority } from "../../../platform/process-tree.ts";
import { run } from "../../../platform/process.ts";
import type { SandboxedProcess } from "../../../platform/sandbox/launch.ts";
import type { MemoryBound, MemoryGuard } from "vitrine-qa/src/system/memory.ts";
import type { SandboxBounds, Slot } from "./sandbox-bounds.ts";
import { makeSlot } from "./slot.ts";

/** A builder process in its sandbox: it takes one job and is thrown away. */
export interface Builder {
  readonly slot: Slot;
  readonly sandbox: SandboxedProcess;
  /** What it may use. */
  readonly bounds: SandboxBounds;
  readonly log: BuildLog;
  /** What holds it to its memory. */
  readonly memory: MemoryBound;
  /** Resolves once it waits for its job, or is gone. */
  readonly ready: Promise<void>;
  /** Whether it can take a job. */
  isAlive(): boolean;
  /** From now on this hears the log's lines and the builder's messages. */
  attend(listener: { line(text: string): void; message(message: BuilderMessage): void }): void;
  /** Kills it and removes its folders. */
  dispose(): Promise<void>;
}

/**
 * What a builder loads before it takes a job: all that compiles, what renders, or nothing. One for
 * `code` loads both, leaves what Node has compiled of it in its output, and ends without a job.
 */
export type Readiness = "compile" | "render" | "cold" | "code";

export interface BuilderOptions {
  buildersDir: string;
  name: string;
  slotNumber: number;
  tier: SandboxTier;
  bounds: SandboxBounds;
  memory: MemoryGuard;
  readiness: Readiness;
  /** The program's compiled code, if there is any. */
  code: CompiledCode | null;
  /** Hears why it could not make itself warm. */
  onCold(reason: string): void;
}

/**
 * Another process does it: a site's thousands of files, queued here, would hold up whatever else
 * this one has to do with files, such as the publish that comes next.
 */
async function removeSlot({ dir }: Slot): Promise<void> {
  const removed = await run("rm", ["-rf", "--", dir]).catch(() => undefined);
  if (removed?.exitCode !== 0) await removeTree(dir);
}

async function launchBounded(
  { tier, bounds, memory: guard, readiness, code }: BuilderOptions,
  slot: Slot,
  program: string[],
): Promise<{ memory: MemoryBound; sandbox: SandboxedProcess }> {
  const memory = await guard.bound(bounds.memoryBytes);
  try {
    if (tier === "landlock" && code !== null) await linkCode(slot, code);
    const use = readiness === "code" ? "make" : code;
    const command = memory.enclose(sandboxCommand(tier, slot, bounds, program, use));
    return { memory, sandbox: await launch(tier, slot, command) };
  } catch (error) {
    await memory.remove();
    throw error;
  }
}

/** How much of its memory a builder's heap may take: the bundler's is not in it. */
const heapShare = 0.8;

/** Starts a builder. Throws AppError `unavailable` when its sandbox can't be started. */
export async function startBuilder(options: BuilderOptions): Promise<Builder> {
  const { tier } = options;
  const slot = await makeSlot(options.buildersDir, options.name, options.slotNumber).catch(
    async (error: unknown) => {
      // Half of it may be there: a full disk lets the first folders through.
      await removeTree(join(options.buildersDir, options.name));
      throw error;
    },
  );
  const paths = builderPaths(tier, slot);
  const program = [
    // From the start, in MiB: collecting while it grows would take a tenth of a build's processor time.
    "--min-semi-space-size=16",
    `--max-old-space-size=${Math.floor((options.bounds.memoryBytes / 2 ** 20) * heapShare)}`,
    paths.script,
    `--site=${paths.site}`,
    `--out=${paths.out}`,
    `--temporary=${paths.temporary}`,
    `--ready=${options.readiness}`,
  ];
  const { memory, sandbox } = await launchBounded(options, slot, program).catch(
    async (error: unknown) => {
      await removeTree(slot.dir);
      throw error;
    },
  );
  let listener: Parameters<Builder["attend"]>[0] | undefined;
  const log = makeBuildLog((line) => listener?.line(line));
  for (const stream of sandbox.output) log.follow(stream);
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>();
  sandbox.onMessage((line) => {
    const message = readBuilderMessage(line);
    if (message?.type === "ready") {
      becomeReady();
      // Its session is as far behind visitors as the process that started it.
      void lowerTreePriority(sandbox.pid, getPriority());
    }
    if (message?.type === "cold") options.onCold(message.reason);
    if (message !== undefined) listener?.message(message);
  });
  const watchEnd = async () => {
    await sandbox.exited;
    becomeReady();
  };
  void watchEnd();
  return {
    slot,
    sandbox,
    bounds: options.bounds,
    log,
    memory,
    ready,
    isAlive: () => !sandbox.hasEnded(),
    attend: (attendant) => {
      listener = attendant;
    },
    dispose: async () => {
      await sandbox.kill();
      await Promise.all([memory.remove(), removeSlot(slot)]);
    },
  };
}
