import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Log } from "../platform/log.ts";
import { killTree, lowerPriority } from "../platform/process-tree.ts";
import { configurationExitCode } from "./run-process.ts";

/** A process to keep running. It sends `ready` over IPC when it serves. */
export interface ProcessSpec {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
  /** One of our descriptors, which it inherits as number 4. */
  descriptor?: number;
  /** The nice value of it and its children: defaults to 0, at most 19. */
  niceness?: number;
  /** How long it must run to count as recovered, in ms; defaults to `SupervisorTimeouts`. */
  stableMs?: number;
}

/** Times in ms. */
export interface SupervisorTimeouts {
  /** Before the second restart; the first one is immediate. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** A process that ran this long has recovered: its next restart is immediate again. */
  stableMs: number;
  /** From the request to stop until remaining processes are killed. */
  shutdownMs: number;
}

/** One of the processes as it is now. */
export interface SupervisedProcess {
  name: string;
  /** Null between its end and the next start. */
  child: ChildProcess | null;
  /** How often it was started again. */
  restarts: number;
}

export interface Supervisor {
  processes(): SupervisedProcess[];
  /** Asks all to end and kills the rest after the shutdown time. */
  stop(): void;
  /** The exit code, once all have ended. */
  ended: Promise<number>;
}

const defaultTimes: SupervisorTimeouts = {
  firstDelayMs: 1000,
  maxDelayMs: 30_000,
  stableMs: 60_000,
  shutdownMs: 10_000,
};

interface SupervisorOptions {
  processes: readonly ProcessSpec[];
  log: Log;
  timeouts?: Partial<SupervisorTimeouts>;
  /** Called once, when every process has been ready. */
  onReady?: () => void;
  /** Gets each line that a process writes to stderr; otherwise, it goes to ours. */
  onOutput?: (line: string) => void;
  /** Gets what a process sends besides that it is ready. */
  onMessage?: (name: string, message: unknown) => void;
}

interface ProcessSupervisorOptions {
  spec: ProcessSpec;
  timeouts: SupervisorTimeouts;
  log: Log;
  onOutput: ((line: string) => void) | undefined;
  onReady(): void;
  onMessage(message: unknown): void;
  /** The process can't run with its configuration; it stays ended. */
  onMisconfigured(): void;
}

/** Keeps one process running until it is stopped. */
interface ProcessSupervisor {
  state(): SupervisedProcess;
  /** Asks the process to end; after the shutdown time, it is killed with its descendants. */
  stop(): void;
  /** Settles when it was stopped or misconfigured and has completely ended. */
  ended: Promise<void>;
}

/** The delays before consecutive restarts: none, then doubling up to a limit. */
function makeDelays({ firstDelayMs, maxDelayMs, stableMs }: SupervisorTimeouts) {
  let next = 0;
  return (ranMs: number): number => {
    const delay = ranMs >= stableMs ? 0 : next;
    next = delay === 0 ? firstDelayMs : Math.min(delay * 2, maxDelayMs);
    return delay;
  };
}

function spawnProcess(
  { command, args, env, descriptor, niceness }: ProcessSpec,
  onOutput: ((line: string) => void) | undefined,
): ChildProcess {
  // Output goes to ours unless told; closing the IPC channel tells a child that we are gone.
  const given = descriptor === undefined ? [] : [descriptor];
  const stderr = onOutput === undefined ? "inherit" : "pipe";
  const stdio = ["ignore", "inherit", stderr, "ipc", ...given] as const;
  const child = spawn(command, args, { env, stdio: [...stdio] });
  if (onOutput !== undefined && child.stderr !== null) {
    createInterface({ input: child.stderr }).on("line", (line) => onOutput(`${line}\n`));
  }
  if (niceness !== undefined) lowerPriority(child, niceness);
  return child;
}

function superviseProcess({
  spec,
  timeouts,
  log,
  onOutput,
  onReady,
  onMessage,
  onMisconfigured,
}: ProcessSupervisorOptions): ProcessSupervisor {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const delayAfter = makeDelays({ ...timeouts, stableMs: spec.stableMs ?? timeouts.stableMs });
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let starts = 0;

  const onEnd = (liveSettings: { code: number | null; signal: string | null }, ranMs: number) => {
    child = null;
    if (stopping || liveSettings.code === configurationExitCode) {
      clearTimeout(timer);
      if (!stopping) onMisconfigured();
      return resolve();
    }
    const restartInMs = delayAfter(ranMs);
    log.warn({ process: spec.name, ...liveSettings, restartInMs }, "process ended; restarting it");
    if (restartInMs === 0) start();
    else timer = setTimeout(start, restartInMs);
  };

  const start = () => {
    starts += 1;
    const startedAt = performance.now();
    const started = spawnProcess(spec, onOutput);
    const end = (code: number | null, signal: string | null) => {
      if (child === started) onEnd({ code, signal }, performance.now() - startedAt);
    };
    child = started;
    started.on("message", (message) => {
      if (message === "ready") onReady();
      else onMessage(message);
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
      log.warn({ process: spec.name }, "process didn't end in time; killed it");
      if (child?.pid !== undefined) killTree(child.pid, "SIGKILL");
    }, timeouts.shutdownMs);
  };

  start();
  const state = () => ({ name: spec.name, child, restarts: starts - 1 });
  return { state, stop, ended };
}

/**
 * Starts the processes and restarts each that ends, immediately at first, then with growing delays
 * if it ends soon again: 1 s, 2 s … 30 s. Exit code 2 of a process ends all.
 */
export function supervise(options: SupervisorOptions): Supervisor {
  const { processes, log, onReady, onOutput, onMessage } = options;
  const times = { ...defaultTimes, ...options.timeouts };
  const notReady = new Set(processes.map((spec) => spec.name));
  let exitCode = 0;
  const stop = () => supervisors.forEach((supervisor) => supervisor.stop());
  const supervisors = processes.map((spec) =>
    superviseProcess({
      spec,
      timeouts: times,
      log,
      onOutput,
      onReady() {
        if (notReady.delete(spec.name) && notReady.size === 0) onReady?.();
      },
      onMessage: (message) => onMessage?.(spec.name, message),
      onMisconfigured() {
        log.error(
          { process: spec.name },
          "process can't run with this configuration; shutting down",
        );
        exitCode = configurationExitCode;
        stop();
      },
    }),
  );
  const ended = Promise.all(supervisors.map((supervisor) => supervisor.ended)).then(() => exitCode);
  return { processes: () => supervisors.map(({ state }) => state()), stop, ended };
}
