import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Publisher } from "../release/publish.ts";
import { isPublishUnderWay } from "./publish-run.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { activeStatuses } from "./run-status.ts";
import { listRunOwners } from "./runners/store.ts";
import type { RunStatus } from "./schema.ts";
import { listRunsByStatus } from "./store.ts";

export type RunRecoveryDependencies = Pick<
  RunDependencies,
  "db" | "clock" | "events" | "runnerId" | "registry"
> & { publisher: Pick<Publisher, "recover"> };

/**
 * Ends runs without a worker: running ones are interrupted, a publish that hasn't started is ready
 * again, and one that has is passed to the publisher. Runs of live runners are left alone.
 */
export interface RunRecovery {
  /** At startup, before this process starts anything: recovers from earlier processes. */
  recoverAtStart(): Promise<void>;
  /** Regularly: recovers from runners that have died since, and from failures of this one. */
  recoverAbandoned(): Promise<void>;
}

interface OwnedRun {
  id: string;
  owner: string | undefined;
}

type IsAbandoned = (run: OwnedRun) => Promise<boolean> | boolean;

/** Runs in these states without a worker. */
async function listAbandoned(
  db: Db,
  statuses: readonly RunStatus[],
  isAbandoned: IsAbandoned,
): Promise<OwnedRun[]> {
  const ids = (await listRunsByStatus(db, statuses)).map((row) => row.id);
  // Checked after the runs were read: a runner gone by then has started all of them before.
  const owners = await listRunOwners(db, ids);
  const abandoned: OwnedRun[] = [];
  for (const id of ids) {
    const run = { id, owner: owners.get(id) };
    if (await isAbandoned(run)) abandoned.push(run);
  }
  return abandoned;
}

async function interruptRun(
  { events, clock }: RunRecoveryDependencies,
  runId: string,
): Promise<void> {
  const error = "The server stopped during this run.";
  await events.transition(
    runId,
    activeStatuses,
    { status: "interrupted", error, finished_at: isoTime(clock.now()) },
    [{ type: "run.finished", data: { status: "interrupted", error } }],
  );
}

/** Somebody publishes it after all. */
class PublishStarted extends Error {}

async function returnToPreview(
  { events }: RunRecoveryDependencies,
  { id, owner }: OwnedRun,
): Promise<void> {
  // Its row is locked: whoever starts to publish it locks it, too.
  const nobodyDoes = async (transaction: Db) => {
    const now = (await listRunOwners(transaction, [id])).get(id);
    if (now !== owner || (await isPublishUnderWay(transaction, id))) throw new PublishStarted();
  };
  try {
    await events.transition(id, ["publishing"], { status: "preview_ready" }, [], nobodyDoes);
  } catch (error) {
    if (!(error instanceof PublishStarted)) throw error;
  }
}

async function recoverRuns(deps: RunRecoveryDependencies, isAbandoned: IsAbandoned): Promise<void> {
  const { db, publisher } = deps;
  for (const { id } of await listAbandoned(db, activeStatuses, isAbandoned))
    await interruptRun(deps, id);
  const publishing = await listAbandoned(db, ["publishing"], isAbandoned);
  if (publishing.length > 0) await publisher.recover();
  for (const run of publishing) await returnToPreview(deps, run);
}

/** Checks each runner once per pass. */
function memoizeIsGone({ registry }: RunRecoveryDependencies): (owner: string) => Promise<boolean> {
  const responses = new Map<string, Promise<boolean>>();
  return (owner) => {
    const response = responses.get(owner) ?? registry.isGone(owner);
    responses.set(owner, response);
    return response;
  };
}

/** @param isAtWork whether this process is executing or publishing the run */
export function makeRunRecovery(
  deps: RunRecoveryDependencies,
  isAtWork: (runId: string) => boolean,
): RunRecovery {
  const { runnerId } = deps;
  /** Runs of this runner that it wasn't executing at the last check. */
  let idle: ReadonlySet<string> = new Set();

  return {
    recoverAtStart() {
      const isGone = memoizeIsGone(deps);
      return recoverRuns(deps, ({ owner }) => {
        return owner === undefined || owner === runnerId || isGone(owner);
      });
    },
    async recoverAbandoned() {
      const isGone = memoizeIsGone(deps);
      const before = idle;
      const now = new Set<string>();
      // A run whose end couldn't be stored, for example because the database was unavailable.
      // Checked twice, because a run is stored a moment before its work starts.
      const hasSlipped = (id: string) => {
        if (isAtWork(id)) return false;
        now.add(id);
        return before.has(id);
      };
      await recoverRuns(deps, ({ id, owner }) => {
        if (owner === runnerId) return hasSlipped(id);
        return owner === undefined || isGone(owner);
      });
      idle = now;
    },
  };
}
