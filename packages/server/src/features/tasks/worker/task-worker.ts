import { budgetDefinition, modelDefinition, modelKeyDefinition } from "../../settings/settings.ts";
import { settingsMark } from "../../settings/store.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { executeTask } from "./execute-task.ts";
import type { ExecuteTaskDependencies } from "./attempt.ts";
import { type Claim, claimNext } from "../queue/claim.ts";
import { publishAllApproved } from "./publish-approved.ts";
import { makeLoop } from "./loop.ts";
import { WorkerClosing, type Lease, maintainLease } from "./lease.ts";
import { endWaits } from "../queue/claim-store.ts";
import { releaseTasksOf, releaseExpired } from "../queue/expired-leases.ts";
import { countTasks } from "../board/list-store.ts";
import type { Verdict } from "./verdict.ts";

export type { ReviewJob } from "./attempt.ts";

export interface TaskWorkerDependencies extends ExecuteTaskDependencies {
  /** The name under which tasks are claimed. */
  runnerId: string;
  paused(): Promise<boolean>;
  /** The polling interval, in ms; defaults to 2,000. */
  pollMs?: number;
}

/** Claims tasks from the queue and executes them. */
export interface TaskWorker {
  start(): void;
  /** Checks immediately: a task was created, approved, or cancelled. */
  wake(): void;
  /**
   * Runs tasks, even while paused, until nothing is due any more, including tasks that waited for
   * another attempt; returns what it starts with.
   */
  run(): Promise<{ queued: number; running: number }>;
  /**
   * Takes back the tasks of runners that are gone and removes what runs have left. Call at startup
   * and regularly.
   */
  recover(gone: readonly string[]): Promise<void>;
  /** Waits until nothing is running and nothing more is due. */
  idle(): Promise<void>;
  /** Gives back running tasks on shutdown. Call before closing the runs. */
  close(): Promise<void>;
}

/** The tasks that this runner is executing. */
function makeJobs(deps: TaskWorkerDependencies, ended: (verdict: Verdict | null) => void) {
  const { db, log, limits, pollMs = 2000 } = deps;
  // By claim, not by task: a task that was cancelled and requeued may be here twice for a moment.
  const jobs = new Map<Lease, Promise<void>>();

  async function carry(claim: Claim, lease: Lease): Promise<void> {
    const { taskId } = claim;
    log.info({ taskId, attempt: claim.task.attempts }, "task started");
    const verdict = await executeTask(deps, claim, lease).catch((error: unknown) => {
      log.error({ err: error, taskId }, "a task failed unexpectedly; its claim will expire");
      return null;
    });
    jobs.delete(lease);
    ended(verdict);
  }

  return {
    jobs,
    start(claim: Claim): Lease {
      const leaseMs = limits.leaseSeconds * 1000;
      const everyMs = Math.min(pollMs, leaseMs / 3);
      const lease = maintainLease({ db, log, everyMs, leaseMs }, claim);
      jobs.set(lease, carry(claim, lease));
      return lease;
    },
  };
}

/** The settings that keep every task from starting: a missing model or key, a limit. */
const modelSettings = [modelDefinition, modelKeyDefinition, budgetDefinition].map(
  ({ name }) => name,
);

/** Ends every wait if the owner has changed what may have been the obstacle; false otherwise. */
async function endWaitsIfChanged(
  db: Db,
  state: { modelMark: string; standsStill: number },
): Promise<boolean> {
  if ((await settingsMark(db, modelSettings)) === state.modelMark) return false;
  state.standsStill = 0;
  await endWaits(db);
  return true;
}

/** What the worker does in each round: claiming tasks, publishing approved ones, cleaning up. */
function makeWork(deps: TaskWorkerDependencies) {
  const { db, clock, log, events, runs, limits, runnerId } = deps;
  const leaseMs = limits.leaseSeconds * 1000;
  const release = { db, events, clock, log, maxAttempts: limits.attempts };
  const failed = (error: unknown) => log.error({ err: error }, "the queue can't be read");
  const closing = new AbortController();
  const state = {
    /** How often a person has asked to run the queue; until nothing is due, a pause is ignored. */
    asked: 0,
    /** Up to which of these requests it is done, or the queue was resumed. */
    answered: 0,
    /** Until when every task would meet the same obstacle, by `clock.monotonic`. */
    standsStill: 0,
    /** The model and its limits before the last task started. */
    modelMark: "",
    /** Whether runs may have left something behind. */
    untidy: false,
  };
  const { jobs, start } = makeJobs(deps, (verdict) => {
    if (verdict?.kind === "queue" && verdict.forAll) {
      state.standsStill = clock.monotonic() + verdict.waitMs;
    }
    state.untidy = true;
    polls.ask();
  });

  async function mayTake(): Promise<boolean> {
    if (closing.signal.aborted) return false;
    // Read first, because another request may arrive during the query.
    const { asked: requested } = state;
    const paused = await deps.paused();
    if (!paused) state.answered = requested;
    if (jobs.size >= limits.parallel) return false;
    if (clock.monotonic() < state.standsStill && !(await endWaitsIfChanged(db, state)))
      return false;
    return !paused || requested > state.answered;
  }

  async function take(): Promise<void> {
    while (await mayTake()) {
      const { asked: requested } = state;
      const claim = await claimNext(db, { worker: runnerId, leaseMs });
      if (claim === null) {
        state.answered = requested;
        return;
      }
      state.modelMark = await settingsMark(db, modelSettings);
      const lease = start(claim);
      // Closed while it was being claimed, so it is given back immediately.
      if (closing.signal.aborted) lease.close();
    }
  }

  const approvals = makeLoop(() => publishAllApproved(deps, closing.signal), failed);
  const polls = makeLoop(async () => {
    if (closing.signal.aborted) return;
    approvals.ask();
    await releaseExpired(release);
    if (state.untidy) {
      state.untidy = false;
      await runs.removeTaskLeftovers();
    }
    await take();
  }, failed);

  /** Everything that is running now. */
  const underWay = () =>
    [polls.running(), approvals.running(), ...jobs.values()].filter((each) => each !== null);
  return { state, closing, jobs, looks: polls, release, underWay };
}

/** The task worker of this runner. */
export function makeTaskWorker(deps: TaskWorkerDependencies): TaskWorker {
  const { db, runs, pollMs = 2000 } = deps;
  const { state, closing, jobs, looks: polls, release, underWay } = makeWork(deps);
  let timer: NodeJS.Timeout | undefined;

  const wake = () => {
    state.untidy = true;
    for (const lease of jobs.keys()) void lease.renew();
    polls.ask();
  };
  const idle = async () => {
    for (let waits = underWay(); waits.length > 0; waits = underWay()) await Promise.all(waits);
  };

  return {
    start() {
      polls.ask();
      timer = setInterval(polls.ask, pollMs);
    },
    wake,
    async run() {
      // Once: what fails again waits again.
      await endWaits(db);
      state.asked += 1;
      state.standsStill = 0;
      const { queued, running } = await countTasks(db);
      wake();
      return { queued, running };
    },
    async recover(gone) {
      await releaseTasksOf(release, [...gone], "Its runner stopped.");
      await runs.removeTaskLeftovers();
      if (timer !== undefined) polls.ask();
    },
    idle,
    async close() {
      closing.abort(new WorkerClosing());
      clearInterval(timer);
      for (const lease of jobs.keys()) lease.close();
      await idle();
    },
  };
}
