import { type ChildProcess, spawn } from "node:child_process";
import type { Log } from "../platform/log.ts";
import type { Supervised } from "./supervisor.ts";

/** Keeps a process ready that serves the public site while the web process is not there. */
export interface StandInKeeper {
  /** The web process has ended: the stand-in serves from now on. */
  serve(): void;
  /** The web process serves: whoever stood in ends, and the next one is made ready. */
  rest(): void;
  stop(): void;
  /** Settled when it was stopped and nothing of it runs. */
  ended: Promise<void>;
}

interface StandInOptions {
  spec: Supervised & { descriptor: number };
  log: Log;
  /** How long to wait before one that has ended by itself is started again, in ms; 5,000 unless told. */
  againMs?: number;
  /** From the request to stop until what is left is killed, in ms; 10,000 unless told. */
  drainMs?: number;
}

interface Member {
  child: ChildProcess;
  isReady: boolean;
  serves: boolean;
}

function tell(member: Member, message: "serve" | "end"): void {
  // One that is gone does not need to hear it.
  if (member.child.connected) member.child.send(message, () => {});
}

function spawnStandIn({ command, args, env, descriptor }: StandInOptions["spec"]): ChildProcess {
  return spawn(command, args, { env, stdio: ["ignore", "inherit", "inherit", "ipc", descriptor] });
}

/** Starts nothing before `rest` or `serve` is called for the first time. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function keepStandIn(options: StandInOptions): StandInKeeper {
  const { spec, log, againMs = 5000, drainMs = 10_000 } = options;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const alive = new Set<Member>();
  let next: Member | null = null;
  let wanted = false;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;

  const pass = () => {
    if (!wanted || !next?.isReady || next.serves) return;
    next.serves = true;
    tell(next, "serve");
  };
  const onEnd = (member: Member) => {
    alive.delete(member);
    if (stopping && alive.size === 0) {
      clearTimeout(timer);
      return resolve();
    }
    if (next !== member) return;
    next = null;
    if (stopping) return;
    log.warn({ process: spec.name }, "ended: will be started again");
    clearTimeout(timer);
    timer = setTimeout(start, againMs);
  };
  const start = () => {
    if (next !== null || stopping) return;
    const child = spawnStandIn(spec);
    const member: Member = { child, isReady: false, serves: false };
    next = member;
    alive.add(member);
    child.on("message", (message) => {
      if (message !== "ready") return;
      member.isReady = true;
      log.info({ process: spec.name }, "stands by");
      pass();
    });
    child.on("exit", () => onEnd(member));
    child.on("error", (error) => {
      log.error({ process: spec.name, err: error }, "can't be started");
      if (child.pid === undefined) onEnd(member);
    });
  };

  return {
    ended,
    serve() {
      wanted = !stopping;
      // Also for a web process that has never come to serve, as without its database.
      start();
      pass();
    },
    rest() {
      wanted = false;
      if (next?.serves) {
        tell(next, "end");
        next = null;
      }
      start();
    },
    stop() {
      if (stopping) return;
      stopping = true;
      clearTimeout(timer);
      if (alive.size === 0) return resolve();
      for (const { child } of alive) child.kill("SIGTERM");
      // A visitor who takes an answer slowly would hold the end of everything up.
      timer = setTimeout(() => {
        log.warn({ process: spec.name }, "did not end in time: killed");
        for (const { child } of alive) child.kill("SIGKILL");
      }, drainMs);
    },
  };
}
