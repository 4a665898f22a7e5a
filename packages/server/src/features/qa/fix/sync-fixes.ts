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

/** How often a QA run after a publish is restarted if it doesn't complete. */
const maxUnfinishedRuns = 3;

export interface SyncFixesDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  runs: { start(trigger: "task", by: string): Promise<unknown> };
}

/** What has changed, for the log and tests. */
export interface SyncFixesResult {
  /** Reopened findings, because their task had no result, is gone, or didn't help. */
  opened: number[];
  /** Findings that wait again, because their task was restarted. */
  queued: number[];
  /** Our own tasks that were cancelled, because what they should fix is gone. */
  dropped: number[];
  /** Whether a QA run was started to check what was published. */
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

/** Findings that are gone without our task need no fix any more. */
async function cancelNeedlessTasks(
  deps: SyncFixesDependencies,
  result: SyncFixesResult,
): Promise<void> {
  const { db, clock } = deps;
  for (const id of await listNeedlessTasks(db)) {
    try {
      await cancelTask({ db, clock, events: makeRunEvents({ db, clock }) }, id, "QA");
    } catch (error) {
      // It has started in the meantime, so it ends on its own.
      if (!(error instanceof AppError)) throw error;
      continue;
    }
    // It wasn't cancelled by somebody who doesn't want it, so it may be fixed if it reappears.
    await deleteFixes(db, id);
    result.dropped.push(id);
  }
}

/** Whether the run that checks what was published still has to be started. */
async function needsRun(db: Db, since: string): Promise<boolean> {
  const runs = await listRunsSince(db, since);
  const useless = runs.every(({ status }) => status === "failed" || status === "aborted");
  return useless && runs.length < maxUnfinishedRuns;
}

/** Starts a QA run; false if one is already running, and then this is retried. */
async function startRun({ runs, log }: SyncFixesDependencies): Promise<boolean> {
  try {
    await runs.start("task", "QA");
    return true;
  } catch (error) {
    const later = ["invalid_state", "unavailable"];
    if (!(error instanceof AppError) || !later.includes(error.code)) throw error;
    log.debug({ err: error }, "a later QA run will check what was published");
    return false;
  }
}

/**
 * Findings whose task is published: a completed QA run that started afterwards has closed them or
 * has seen them again. Those that it didn't reach wait for the next run.
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
  // While the site is being rebuilt, it still shows the previous version.
  const { state } = await rebuildState(db);
  if (due && state !== "pending" && state !== "building") result.runStarted = await startRun(deps);
}

/**
 * Updates findings according to their tasks: reopens them if a task had no result or is gone,
 * assigns them again if it was restarted, and has published fixes checked. Call regularly;
 * everything is in the database, so nothing is lost with a process.
 */
export async function syncFixes(deps: SyncFixesDependencies): Promise<SyncFixesResult> {
  const result: SyncFixesResult = { opened: [], queued: [], dropped: [], runStarted: false };
  const findings = await listTrackedFindings(deps.db);
  await cancelNeedlessTasks(deps, result);
  await syncEnded(deps, findings, result);
  await syncPublished(deps, findings, result);
  const { opened, queued, dropped } = result;
  if (opened.length + queued.length + dropped.length > 0) {
    deps.log.info({ opened, queued, dropped }, "updated findings from their tasks");
  }
  return result;
}
