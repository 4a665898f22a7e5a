import { binarySize } from "../../../kit/text.ts";
import type { BuilderJob } from "./builder-protocol.ts";
import { type SandboxBounds, writableFolders } from "./sandbox-bounds.ts";
import type { Builder } from "./warm-builder.ts";
import { startWatchdog } from "./watchdog.ts";

/** Who a build is for. */
interface BuildListener {
  signal?: AbortSignal;
  onLog?: (line: string) => void;
  /** Called when the build has all that it needs and begins. */
  onStarted?: () => void;
}

export interface BuildRun {
  builder: Builder;
  job: BuildListener;
  bounds: SandboxBounds;
  timeoutMs: number;
  order: BuilderJob;
  /** Hears why the compiled code that it was given did not do. */
  onUnusable(reason: string): void;
}

/** What V8 prints when a heap is full, and Node when it gets no memory for it. */
const outOfHeap = /JavaScript heap out of memory|Fatal process out of memory/;

export type Outcome =
  | { kind: "done"; reusedCode: boolean; keptSearchParts: string[] }
  | { kind: "failed"; errors: string[]; isOverMemory?: true }
  | { kind: "aborted" };

/** Has a builder do its job, within time and bounds. When this returns, all it started is gone. */
export async function runBuild(running: BuildRun): Promise<Outcome> {
  const { builder, job, bounds, timeoutMs, order, onUnusable } = running;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const fail = (message: string) => resolve({ kind: "failed", errors: [message] });
  const onAbort = () => resolve({ kind: "aborted" });
  builder.attend({
    line: (text) => job.onLog?.(text),
    message: (message) => {
      if (message.type === "done") {
        const { reusedCode, keptSearchParts } = message;
        resolve({ kind: "done", reusedCode, keptSearchParts });
      }
      if (message.type === "unusable") onUnusable(message.reason);
      if (message.type === "failed") resolve({ kind: "failed", errors: message.errors });
    },
  });
  job.signal?.addEventListener("abort", onAbort, { once: true });
  if (job.signal?.aborted) onAbort();
  const seconds = Math.round(timeoutMs / 1000);
  const timer = setTimeout(
    () => fail(`The build took more than ${seconds} s and was stopped.`),
    timeoutMs,
  );
  const stopWatchdog = await startWatchdog({
    pid: builder.sandbox.pid,
    folders: writableFolders(builder.slot),
    bounds,
    onExceeded: fail,
  });
  const overMemory: Outcome = {
    kind: "failed",
    errors: [`The build used more memory than ${binarySize(bounds.memoryBytes)} and was stopped.`],
    isOverMemory: true,
  };
  const stopMemoryWatch = builder.memory.watch(builder.sandbox.pid, () => resolve(overMemory));
  const watchEnd = async () => {
    const { code, signal } = await builder.sandbox.exited;
    await builder.sandbox.outputClosed;
    if (outOfHeap.test(builder.log.text())) resolve(overMemory);
    fail(`The build ended without a result (${signal ?? `exit code ${code}`}).`);
  };
  void watchEnd();
  builder.sandbox.stdin.write(`${JSON.stringify(order)}\n`);
  job.onStarted?.();
  try {
    const outcome = await promise;
    if (outcome.kind === "aborted" || !(await builder.memory.wasExceeded())) return outcome;
    // A part of it that the kernel ended makes all the rest fail, or succeed, for another reason.
    return overMemory;
  } finally {
    clearTimeout(timer);
    stopWatchdog();
    stopMemoryWatch();
    job.signal?.removeEventListener("abort", onAbort);
    await builder.sandbox.kill();
    // What it printed before it failed may still be in the pipe.
    await builder.sandbox.outputClosed;
  }
}
