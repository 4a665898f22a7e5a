import { type ChildProcess, spawn } from "node:child_process";
import type { Log } from "../platform/log.ts";
import { killTree, standBack } from "../platform/process.ts";
import { configurationExit } from "./run-process.ts";

/** A process to keep running. It says `ready` over IPC when it serves. */
export interface Supervised {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
  /** A descriptor of ours that it inherits as number 4. */
  descriptor?: number;
  /** How far its threads, and what it starts, stand back for other processes: 0 unless told, 19 at most. */
  niceness?: number;
  /** After how long it counts as recovered, in ms; `SupervisorTimes` says unless told. */
  stableMs?: number;
}

/** Times in ms. */
export interface SupervisorTimes {
  /** Before the second restart; the first one is at once. */
  firstDelay: number;
  longestDelay: number;
  /** A process that ran this long has recovered: its next restart is at once again. */
  stable: number;
  /** From the request to stop until what is left is killed. */
  drain: number;
}

export interface Supervisor {
  /** Asks all to end, kills what is left after the drain time. */
  stop(): void;
  /** The exit code, when all have ended. */
  ended: Promise<number>;
}

const defaultTimes: SupervisorTimes = {
  firstDelay: 1000,
  longestDelay: 30_000,
  stable: 60_000,
  drain: 10_000,
};

interface SupervisorOptions {
  processes: readonly Supervised[];
  log: Log;
  times?: Partial<SupervisorTimes>;
  /** Called once, when every process has been ready. */
  onReady?: () => void;
}

interface KeeperOptions {
  spec: Supervised;
  times: SupervisorTimes;
  log: Log;
  onReady(): void;
  /** The process can't run as it is configured; it stays ended. */
  onMisconfigured(): void;
}

/** Keeps one process running until it is told to stop. */
interface Keeper {
  /** Asks the process to end; what is left after the drain time is killed with all it started. */
  stop(): void;
  /** Settled when it was stopped, or misconfigured, and nothing of it runs. */
  ended: Promise<void>;
}

/** The waits before one restart after the other: none, then each twice the last, up to a bound. */
function makeDelays({ firstDelay, longestDelay, stable }: SupervisorTimes) {
  let next = 0;
  return (ranMs: number): number => {
    const delay = ranMs >= stable ? 0 : next;
    next = delay === 0 ? firstDelay : Math.min(delay * 2, longestDelay);
    return delay;
  };
}

function spawnMember({ command, args, env, descriptor, niceness }: Supervised): ChildProcess {
  // Output goes where ours goes; the end of the IPC channel tells a child that we are gone.
  const given = descriptor === undefined ? [] : [descriptor];
  const stdio = ["ignore", "inherit", "inherit", "ipc", ...given] as const;
  const child = spawn(command, args, { env, stdio: [...stdio] });
  if (niceness !== undefined) standBack(child, niceness);
  return child;
}

function keep({ spec, times, log, onReady, onMisconfigured }: KeeperOptions): Keeper {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const delayAfter = makeDelays({ ...times, stable: spec.stableMs ?? times.stable });
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;

  const onEnd = (facts: { code: number | null; signal: string | null }, ranMs: number) => {
    child = null;
    if (stopping || facts.code === configurationExit) {
      clearTimeout(timer);
      if (!stopping) onMisconfigured();
      return resolve();
    }
    const restartInMs = delayAfter(ranMs);
    log.warn({ process: spec.name, ...facts, restartInMs }, "ended: will be started again");
    if (restartInMs === 0) start();
    else timer = setTimeout(start, restartInMs);
  };

  const start = () => {
    const startedAt = performance.now();
    const started = spawnMember(spec);
    const end = (code: number | null, signal: string | null) => {
      if (child === started) onEnd({ code, signal }, performance.now() - startedAt);
    };
    child = started;
    started.on("message", (message) => {
      if (message === "ready") onReady();
    });
    started.on("exit", end);
    started.on("error", (error) => {
      log.error({ process: spec.name, err: error }, "can't be started");
      if (started.pid === undefined) end(null, null);
    });
  };

  const stop = () => {
    if (stopping) return;
    stopping = true;
    clearTimeout(timer);
    if (child === null) return resolve();
    child.kill("SIGTERM");
    timer = setTimeout(() => {
      log.warn({ process: spec.name }, "did not end in time: killed");
      if (child?.pid !== undefined) void killTree(child.pid, "SIGKILL");
    }, times.drain);
  };

  start();
  return { stop, ended };
}

/**
 * Starts the processes and starts again each that ends, at once, and later
 * each time that it ends again soon: 1 s, 2 s … 30 s. A process
 * that ends with exit code 2 ends all.
 */
export function supervise(options: SupervisorOptions): Supervisor {
  const { processes, log, onReady } = options;
  const times = { ...defaultTimes, ...options.times };
  const notReady = new Set(processes.map((spec) => spec.name));
  let exitCode = 0;
  const stop = () => keepers.forEach((keeper) => keeper.stop());
  const keepers = processes.map((spec) =>
    keep({
      spec,
      times,
      log,
      onReady() {
        if (notReady.delete(spec.name) && notReady.size === 0) onReady?.();
      },
      onMisconfigured() {
        log.error({ process: spec.name }, "can't run as it is configured: ending");
        exitCode = configurationExit;
        stop();
      },
    }),
  );
  const ended = Promise.all(keepers.map((keeper) => keeper.ended)).then(() => exitCode);
  return { stop, ended };
}
