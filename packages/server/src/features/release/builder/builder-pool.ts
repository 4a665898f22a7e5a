import { basename } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Log } from "../../../platform/log.ts";
import type { MemoryGuard } from "vitrine-qa/src/system/memory.ts";
import type { SandboxBounds } from "./sandbox-bounds.ts";
import type { CodeCache } from "./code-cache.ts";
import { isContained, type SandboxTier } from "./sandbox.ts";
import { removeLeftovers } from "./slot.ts";
import { type Builder, type Readiness, startBuilder } from "./warm-builder.ts";

export interface BuilderPoolDependencies {
  buildersDir: string;
  tier: SandboxTier;
  memory: MemoryGuard;
  log: Log;
  clock: Clock;
  /** The program's compiled code; null if none is kept. */
  code: CodeCache | null;
}

/** What a job needs: to compile the site's code, or only to render with what is compiled. */
export type BuilderTask = "compile" | "render";

/** Keeps a builder for each task started ahead and hands them out; each is used once. */
export interface BuilderPool {
  /** Starts those that aren't there, with these bounds, and keeps them for `idleMs` from now. */
  prepare(bounds: SandboxBounds): void;
  /** A living builder that may use at least this, one that is ready for the task if there is one. Throws `unavailable` when it can't be started, or the pool is closed. */
  take(task: BuilderTask, bounds: SandboxBounds): Promise<Builder>;
  /**
   * Kills a builder that was taken and removes its folders. Thousands of pages take a while: nobody
   * needs to wait for it but `close`.
   */
  dispose(builder: Builder): void;
  /**
   * Has a builder without a site compile the program's code for all others, unless it is there already.
   * Resolves when it is done; builders do without if that fails.
   */
  compileCode(bounds: SandboxBounds): Promise<void>;
  /** Resolves when the builders started ahead wait for a job, or there are to be none. */
  waitUntilWarm(): Promise<void>;
  /**
   * Lets go of builders that have waited too long for a job, and removes the folders of builders
   * that are gone and could not be removed then.
   */
  tidy(): Promise<void>;
  /** Disposes of all builders, those that were taken too. */
  close(): Promise<void>;
}

/** How long the builders that wait for a job are kept, in ms: they need a lot of memory. */
export const idleMs = 10 * 60_000;

async function disposeOf(builder: Builder, log: Log): Promise<void> {
  await builder.dispose().catch((error: unknown) => {
    log.warn({ err: error }, "a builder's folders could not be removed");
  });
}

// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeBuilderPool(deps: BuilderPoolDependencies): BuilderPool {
  const { buildersDir, tier, memory, log, clock, code } = deps;
  let count = 0;
  let closed = false;
  let preparedAt = clock.monotonic();
  const ahead = new Map<BuilderTask, Promise<Builder | undefined>>();
  const alive = new Set<Builder>();
  const leaving = new Set<Promise<void>>();
  /** The slots that are somebody's: of builders that start, live or are being removed. */
  const named = new Set<string>();

  async function start(readiness: Readiness, bounds: SandboxBounds): Promise<Builder> {
    count += 1;
    const name = `${process.pid}-${count}-${clock.now().toString(36)}`;
    named.add(name);
    const builder = await startBuilder({
      buildersDir,
      name,
      slotNumber: process.pid * 7 + count,
      tier,
      bounds,
      memory,
      readiness,
      code: code?.find() ?? null,
      onCold: (reason) => log.warn({ reason }, "couldn't preload a builder"),
    }).catch((error: unknown) => {
      named.delete(name);
      throw error;
    });
    alive.add(builder);
    return builder;
  }

  function dispose(builder: Builder): void {
    if (!alive.delete(builder)) return;
    const left = disposeOf(builder, log).finally(() => {
      leaving.delete(left);
      // Whether it is gone or not: what is still there is nobody's from now on.
      named.delete(basename(builder.slot.dir));
    });
    leaving.add(left);
  }

  /** Disposes of the builders that wait for a job. */
  function release(): void {
    for (const waiting of ahead.values()) {
      const disposing = async () => {
        const builder = await waiting;
        if (builder !== undefined) dispose(builder);
        leaving.delete(released);
      };
      const released = disposing();
      leaving.add(released);
    }
    ahead.clear();
  }

  return {
    prepare(bounds) {
      if (closed) return;
      preparedAt = clock.monotonic();
      for (const task of ["compile", "render"] as const) {
        if (ahead.has(task)) continue;
        const starting = start(task, bounds).catch((error: unknown) => {
          log.warn({ err: error }, "couldn't preload a builder");
          return undefined;
        });
        ahead.set(task, starting);
      }
    },
    async take(task, bounds) {
      if (closed) throw new AppError("unavailable", "The builder is shutting down.");
      const waiting = ahead.get(task);
      ahead.delete(task);
      const builder = await waiting;
      const isEnough = builder !== undefined && builder.bounds.memoryBytes >= bounds.memoryBytes;
      if (isEnough && builder.isAlive()) return builder;
      if (builder !== undefined) dispose(builder);
      return start("cold", bounds);
    },
    dispose,
    async compileCode(bounds) {
      if (closed || code === null || !isContained(tier) || code.find() !== null) return;
      const builder = await start("code", bounds);
      try {
        const { code: exitCode } = await builder.sandbox.exited;
        if (exitCode === 0) await code.keep(builder.slot);
      } finally {
        dispose(builder);
      }
    },
    async tidy() {
      if (clock.monotonic() - preparedAt >= idleMs) release();
      await removeLeftovers(buildersDir, (name) => !named.has(name));
    },
    async waitUntilWarm() {
      for (const builder of await Promise.all(ahead.values())) await builder?.ready;
    },
    async close() {
      closed = true;
      release();
      for (const builder of alive) dispose(builder);
      while (leaving.size > 0) await Promise.all(leaving);
    },
  };
}
