import { type CarryOutOptions, carryOut } from "./carry-out.ts";
import { type Claim, claimNext } from "./claim.ts";
import { publishAllApproved } from "./drain-approved.ts";
import { type Hold, holdClaim } from "./drain-hold.ts";
import { releaseHeldBy, releaseLapsed } from "./lapsed.ts";
import { countTasks } from "./list-store.ts";
import type { Verdict } from "./outcome.ts";

export interface DrainOptions extends CarryOutOptions {
  /** Under this name tasks are claimed. */
  runnerId: string;
  paused(): Promise<boolean>;
  /** How often it looks for something to do, in ms; 2,000 unless told. */
  lookMs?: number;
}

/** Takes tasks from the queue and has them carried out. */
export interface Drain {
  start(): void;
  /** Looks at once: a task was made, approved or cancelled. */
  wake(): void;
  /**
   * Begins to drain, even while paused, until nothing is due any more; gives what it sets out with at
   * once.
   */
  run(): Promise<{ queued: number; running: number }>;
  /**
   * Puts back what runners held that are gone, and removes what runs have left. To be called at boot,
   * and from time to time.
   */
  recover(gone: readonly string[]): Promise<void>;
  /** Waits until nothing is under way and nothing more is due. */
  idle(): Promise<void>;
  /** Gives back what is under way, for a shutdown. To be called before the runs are closed. */
  close(): Promise<void>;
}

interface Job {
  hold: Hold;
  done: Promise<void>;
}

/** The tasks that this runner works on. */
function makeJobs(options: DrainOptions, ended: (verdict: Verdict | null) => void) {
  const { db, log, limits, lookMs = 2000 } = options;
  const jobs = new Map<number, Job>();

  async function carry(claim: Claim, hold: Hold): Promise<void> {
    const { taskId } = claim;
    log.info({ taskId, attempt: claim.task.attempts }, "a task is taken up");
    const verdict = await carryOut(options, claim, hold).catch((error: unknown) => {
      log.error({ err: error, taskId }, "a task could not be carried out; its claim lapses");
      return null;
    });
    jobs.delete(taskId);
    ended(verdict);
  }

  return {
    jobs,
    begin(claim: Claim): void {
      const everyMs = Math.min(lookMs, (limits.leaseSeconds * 1000) / 3);
      const hold = holdClaim({ db, log, everyMs }, claim);
      jobs.set(claim.taskId, { hold, done: carry(claim, hold) });
    },
  };
}

/** Does `work` again and again as it is asked to, never twice at a time; what it throws is logged. */
function makeLoop(work: () => Promise<void>, onError: (error: unknown) => void) {
  let asked = false;
  let looping: Promise<void> | null = null;
  async function loop(): Promise<void> {
    while (asked) {
      asked = false;
      await work().catch(onError);
    }
    looping = null;
  }
  return {
    ask(): void {
      asked = true;
      looping ??= loop();
    },
    /** The present round, and those asked for meanwhile. */
    running: () => looping,
  };
}

/** The queue's drain of this runner. */
export function makeDrain(options: DrainOptions): Drain {
  const { db, clock, log, events, runs, limits, runnerId, lookMs = 2000 } = options;
  const leaseMs = limits.leaseSeconds * 1000;
  const release = { db, events, clock, log, mostAttempts: limits.attempts };
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Draining was asked for by a person: until nothing is due, a pause doesn't count. */
  let asked = false;
  /** Until when every task would meet the same obstacle, by `clock.monotonic`. */
  let standsStill = 0;
  /** Whether runs may have left something behind. */
  let untidy = false;

  const failed = (error: unknown) => log.error({ err: error }, "the queue can't be looked at");
  const approvals = makeLoop(() => publishAllApproved(options, () => closed), failed);
  const { jobs, begin } = makeJobs(options, (verdict) => {
    if (verdict?.kind === "queue" && verdict.forAll) {
      standsStill = clock.monotonic() + verdict.waitMs;
    }
    untidy = true;
    looks.ask();
  });

  async function mayTake(): Promise<boolean> {
    if (closed || jobs.size >= limits.parallel || clock.monotonic() < standsStill) return false;
    return asked || !(await options.paused());
  }

  async function take(): Promise<void> {
    while (await mayTake()) {
      const claim = await claimNext(db, { worker: runnerId, leaseMs });
      if (claim === null) {
        asked = false;
        return;
      }
      begin(claim);
    }
  }

  async function look(): Promise<void> {
    if (closed) return;
    approvals.ask();
    await releaseLapsed(release);
    if (untidy) {
      untidy = false;
      await runs.clear();
    }
    await take();
  }
  const looks = makeLoop(look, failed);

  const wake = () => {
    untidy = true;
    for (const { hold } of jobs.values()) void hold.look();
    looks.ask();
  };

  return {
    start() {
      looks.ask();
      timer = setInterval(looks.ask, lookMs);
    },
    wake,
    async run() {
      asked = true;
      standsStill = 0;
      const { queued, running } = await countTasks(db);
      wake();
      return { queued, running };
    },
    async recover(gone) {
      await releaseHeldBy(release, [...gone], "Its runner stopped.");
      await runs.clear();
      if (timer !== undefined) looks.ask();
    },
    async idle() {
      for (;;) {
        const under = [
          looks.running(),
          approvals.running(),
          ...[...jobs.values()].map((job) => job.done),
        ];
        const waits = under.filter((each) => each !== null);
        if (waits.length === 0) return;
        await Promise.all(waits);
      }
    },
    async close() {
      closed = true;
      clearInterval(timer);
      for (const { hold } of jobs.values()) hold.close();
      await this.idle();
    },
  };
}
