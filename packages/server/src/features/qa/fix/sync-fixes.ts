import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import { rebuildState } from "../../release/rebuild-requests.ts";
import { makeRunEvents } from "../../runs/events.ts";
import { cancelTask } from "../../tasks/queue/queue.ts";
import { queueFinding, releaseFindings } from "../findings/store.ts";
import {
  measureClockSkewMs,
  type TrackedFinding,
  listTrackedFindings,
  deleteFixes,
  isUnderWay,
  listNeedlessTasks,
  reopenFinding,
  listRunsSince,
} from "./store.ts";

/** How often a QA run over what was published is begun that comes to no end. */
const maxUnfinishedRuns = 3;

export interface SyncFixesDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  runs: { start(trigger: "task", by: string): Promise<unknown> };
}

/** What was settled, for the log and for tests. */
export interface SyncFixesResult {
  /** Findings that are open again, because their task came to nothing, is gone, or did not help. */
  opened: number[];
  /** Findings that wait again, because somebody has their task done once more. */
  queued: number[];
  /** Tasks of our own that are cancelled, because what they were to fix is gone. */
  dropped: number[];
  /** Whether a QA run was begun that looks at what was published. */
  runStarted: boolean;
}

async function syncEnded(
  { db }: SyncFixesDependencies,
  findings: readonly TrackedFinding[],
  result: SyncFixesResult,
): Promise<void> {
  for (const { id, status, task_id: taskId, task_status: task, instruction } of findings) {
    if (taskId === null || task === null) {
      await reopenFinding(db, id);
      result.opened.push(id);
    } else if (status === "open") {
      if (await queueFinding(db, id, { taskId, instruction })) result.queued.push(id);
    } else if (!isUnderWay(task) && task !== "published") {
      await releaseFindings(db, taskId);
      result.opened.push(id);
    }
  }
}

/** What is gone without our task needs no fixing any more. */
async function cancelNeedlessTasks(
  deps: SyncFixesDependencies,
  result: SyncFixesResult,
): Promise<void> {
  const { db, clock } = deps;
  for (const id of await listNeedlessTasks(db)) {
    try {
      await cancelTask({ db, clock, events: makeRunEvents({ db, clock }) }, id, "QA");
    } catch (error) {
      // Somebody has begun it: then it ends by itself.
      if (!(error instanceof AppError)) throw error;
      continue;
    }
    // Nobody has stopped it who does not want it: it may be fixed when it is there again.
    await deleteFixes(db, id);
    result.dropped.push(id);
  }
}

/** Whether the run that looks at what was published is still to be begun. */
async function needsRun(db: Db, since: string): Promise<boolean> {
  const runs = await listRunsSince(db, since);
  const useless = runs.every(({ status }) => status === "failed" || status === "aborted");
  return useless && runs.length < maxUnfinishedRuns;
}

/** Begins a QA run; false when one is under way already, after which it is tried again. */
async function startRun({ runs, log }: SyncFixesDependencies): Promise<boolean> {
  try {
    await runs.start("task", "QA");
    return true;
  } catch (error) {
    const later = ["invalid_state", "unavailable"];
    if (!(error instanceof AppError) || !later.includes(error.code)) throw error;
    log.debug({ err: error }, "what was published is looked at by a later run");
    return false;
  }
}

/**
 * Findings whose task is published: a QA run that began after that and came to its end has closed them,
 * or has seen them still. One that it did not reach waits for the next.
 */
async function syncPublished(
  deps: SyncFixesDependencies,
  findings: readonly TrackedFinding[],
  result: SyncFixesResult,
): Promise<void> {
  const { db, clock } = deps;
  const published = findings.filter(
    (finding) => finding.status === "queued" && finding.task_status === "published",
  );
  if (published.length === 0) return;
  const ahead = await measureClockSkewMs(db, () => clock.now());
  let due = false;
  for (const finding of published) {
    if (finding.task_ended === null) continue;
    const end = isoTime(Date.parse(finding.task_ended) + ahead);
    const runs = await listRunsSince(db, end);
    const seenBy = runs.find(({ id }) => id === finding.last_run_id);
    if (seenBy?.status === "finished") {
      await reopenFinding(db, finding.id);
      result.opened.push(finding.id);
    } else due ||= await needsRun(db, end);
  }
  // A site that is being built anew still shows what was.
  const { state } = await rebuildState(db);
  if (due && state !== "pending" && state !== "building") result.runStarted = await startRun(deps);
}

/**
 * Lets findings follow their tasks: what came to nothing or is gone opens them, what somebody has
 * done once more takes them back, and what is published has them looked at. To be called now and
 * then; all it goes by is in the database, so nothing is lost with a process.
 */
export async function syncFixes(deps: SyncFixesDependencies): Promise<SyncFixesResult> {
  const result: SyncFixesResult = { opened: [], queued: [], dropped: [], runStarted: false };
  const findings = await listTrackedFindings(deps.db);
  await cancelNeedlessTasks(deps, result);
  await syncEnded(deps, findings, result);
  await syncPublished(deps, findings, result);
  const { opened, queued, dropped } = result;
  if (opened.length + queued.length + dropped.length > 0) {
    deps.log.info({ opened, queued, dropped }, "findings follow their tasks");
  }
  return result;
}
