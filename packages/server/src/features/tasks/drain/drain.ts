import { carryOut } from "./carry-out.ts";
import type { CarryOutOptions } from "./attempt.ts";
import { type Claim, claimNext } from "../queue/claim.ts";
import { publishAllApproved } from "./approved.ts";
import { makeLoop } from "./loop.ts";
import { Closing, type Hold, holdClaim } from "./hold.ts";
import { releaseHeldBy, releaseLapsed } from "../queue/lapsed.ts";
import { countTasks } from "../board/list-store.ts";
import type { Verdict } from "./outcome.ts";

export type { ReviewJob } from "./attempt.ts";

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

/** The tasks that this runner works on. */
function makeJobs(options: DrainOptions, ended: (verdict: Verdict | null) => void) {
  const { db, log, limits, lookMs = 2000 } = options;
  // By claim, not by task: one that was cancelled and queued again may be here twice for a moment.
  const jobs = new Map<Hold, Promise<void>>();

  async function carry(claim: Claim, hold: Hold): Promise<void> {
    const { taskId } = claim;
    log.info({ taskId, attempt: claim.task.attempts }, "a task is taken up");
    const verdict = await carryOut(options, claim, hold).catch((error: unknown) => {
      log.error({ err: error, taskId }, "a task could not be carried out; its claim lapses");
      return null;
    });
    jobs.delete(hold);
    ended(verdict);
  }

  return {
    jobs,
    begin(claim: Claim): Hold {
      const everyMs = Math.min(lookMs, (limits.leaseSeconds * 1000) / 3);
      const hold = holdClaim({ db, log, everyMs }, claim);
      jobs.set(hold, carry(claim, hold));
      return hold;
    },
  };
}

/** What a drain does by and by: taking tasks up, publishing what is approved, tidying. */
function makeWork(options: DrainOptions) {
  const { db, clock, log, events, runs, limits, runnerId } = options;
  const leaseMs = limits.leaseSeconds * 1000;
  const release = { db, events, clock, log, mostAttempts: limits.attempts };
  const failed = (error: unknown) => log.error({ err: error }, "the queue can't be looked at");
  const closing = new AbortController();
  const state = {
    /** How often a person has asked to drain: until nothing is due, a pause doesn't count. */
    asked: 0,
    /** Up to which of these times it is done, or the queue went on by itself. */
    answered: 0,
    /** Until when every task would meet the same obstacle, by `clock.monotonic`. */
    standsStill: 0,
    /** Whether runs may have left something behind. */
    untidy: false,
  };
  const { jobs, begin } = makeJobs(options, (verdict) => {
    if (verdict?.kind === "queue" && verdict.forAll) {
      state.standsStill = clock.monotonic() + verdict.waitMs;
    }
    state.untidy = true;
    looks.ask();
  });

  async function mayTake(): Promise<boolean> {
    if (closing.signal.aborted) return false;
    // Read first: somebody may ask while the answer is on its way.
    const { asked } = state;
    const paused = await options.paused();
    if (!paused) state.answered = asked;
    if (jobs.size >= limits.parallel || clock.monotonic() < state.standsStill) return false;
    return !paused || asked > state.answered;
  }

  async function take(): Promise<void> {
    while (await mayTake()) {
      const { asked } = state;
      const claim = await claimNext(db, { worker: runnerId, leaseMs });
      if (claim === null) {
        state.answered = asked;
        return;
      }
      const hold = begin(claim);
      // Closed while it was claimed: it goes straight back.
      if (closing.signal.aborted) hold.close();
    }
  }

  const approvals = makeLoop(() => publishAllApproved(options, closing.signal), failed);
  const looks = makeLoop(async () => {
    if (closing.signal.aborted) return;
    approvals.ask();
    await releaseLapsed(release);
    if (state.untidy) {
      state.untidy = false;
      await runs.removeTaskLeftovers();
    }
    await take();
  }, failed);

  /** All that is under way now. */
  const underWay = () =>
    [looks.running(), approvals.running(), ...jobs.values()].filter((each) => each !== null);
  return { state, closing, jobs, looks, release, underWay };
}

/** The queue's drain of this runner. */
export function makeDrain(options: DrainOptions): Drain {
  const { db, runs, lookMs = 2000 } = options;
  const { state, closing, jobs, looks, release, underWay } = makeWork(options);
  let timer: NodeJS.Timeout | undefined;

  const wake = () => {
    state.untidy = true;
    for (const hold of jobs.keys()) void hold.look();
    looks.ask();
  };
  const idle = async () => {
    for (let waits = underWay(); waits.length > 0; waits = underWay()) await Promise.all(waits);
  };

  return {
    start() {
      looks.ask();
      timer = setInterval(looks.ask, lookMs);
    },
    wake,
    async run() {
      state.asked += 1;
      state.standsStill = 0;
      const { queued, running } = await countTasks(db);
      wake();
      return { queued, running };
    },
    async recover(gone) {
      await releaseHeldBy(release, [...gone], "Its runner stopped.");
      await runs.removeTaskLeftovers();
      if (timer !== undefined) looks.ask();
    },
    idle,
    async close() {
      closing.abort(new Closing());
      clearInterval(timer);
      for (const hold of jobs.keys()) hold.close();
      await idle();
    },
  };
}
