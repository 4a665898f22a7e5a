import { isoTime } from "../../../kit/time.ts";
import type { Log } from "../../../platform/log.ts";
import { inTransaction, type TaskRow } from "../../tasks/store.ts";
import type { FindingRow } from "../findings/store.ts";
import type { Assessment } from "../source/assess.ts";
import { type FixDependencies, queueFix, duplicateFixMs } from "./fix.ts";
import { fixMethod, isAutoFixable } from "./fix-method.ts";
import { isAlt } from "./repair.ts";
import { type FixRow, listFixes, lockFinding, listFixableFindings } from "./store.ts";

/** Maximum tasks created by one run, and images per task. */
const maxPerRun = { tasks: 5, pictures: 20, looked: 500 } as const;
/** Attempts before it is left to a person. */
const maxTries = 2;
/** How long a published fix that can't have helped counts as an attempt, in ms. */
const publishedMs = 30 * 24 * 60 * 60 * 1000;

export interface AutofixDependencies extends FixDependencies {
  /** Whether the owner has enabled it: the setting `autofix`, otherwise `qa.autofix`. */
  enabled: boolean;
  log: Log;
  /** Wakes the queue. */
  wake?(): void;
}

/**
 * Whether an attempt hasn't helped, as the finding is open. A successful one, long ago, says
 * nothing.
 */
function hasFailedBefore({ taskStatus, createdAt }: FixRow, now: number): boolean {
  if (taskStatus === "published") return createdAt > isoTime(now - publishedMs);
  return taskStatus === "reverted" || taskStatus === "failed";
}

/** Why another attempt is left to a person; null if it isn't. */
export function findSkipReason(
  fixes: readonly FixRow[],
  now: number,
): "cancelled" | "failed" | null {
  const tries = fixes.filter(({ automatic }) => automatic);
  // The owner has cancelled it, so it isn't wanted.
  if (tries.some(({ taskStatus }) => taskStatus === "cancelled")) return "cancelled";
  const failed = tries.filter((fix) => hasFailedBefore(fix, now)).length;
  return failed >= maxTries ? "failed" : null;
}

/** Whether another attempt wouldn't help, or not yet, according to previous ones. */
function isOver(fixes: readonly FixRow[], now: number): boolean {
  const since = isoTime(now - duplicateFixMs);
  const isRecent = fixes.some(({ createdAt }) => createdAt > since);
  return isRecent || findSkipReason(fixes, now) !== null;
}

/** A finding that may be fixed unattended, with how to fix it. */
interface Candidate {
  row: FindingRow;
  assessment: Assessment | undefined;
  isExact: boolean;
}

/**
 * Groups findings for one task each: images on the same page together, everything else separately.
 * Exact fixes need no model, so they don't wait for others.
 */
function groupCandidates(candidates: readonly Candidate[]): Candidate[][] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { row, isExact } = candidate;
    const images = `images ${isExact} ${row.page_url}`;
    const key = isAlt(row.check_id) ? images : `finding ${row.id}`;
    const group = groups.get(key) ?? [];
    if (group.length < maxPerRun.pictures) groups.set(key, [...group, candidate]);
  }
  return [...groups.values()];
}

function queueGroup(
  deps: AutofixDependencies,
  group: readonly Candidate[],
): Promise<TaskRow | null> {
  const now = deps.clock.now();
  const request = { instruction: "", areWordsFollowed: true, by: "QA", automatic: true, now };
  const assessments = new Map(
    group.flatMap(({ row, assessment }) => (assessment ? [[row.id, assessment] as const] : [])),
  );
  return inTransaction(deps.db, async (trx) => {
    const rows: FindingRow[] = [];
    // In a fixed order, so that two transactions with several locks can't deadlock.
    for (const { row: known } of group.toSorted((a, b) => a.row.id - b.row.id)) {
      const row = await lockFinding(trx, known.id);
      const tried = await listFixes(trx, [known.id]);
      const isSame = row?.evidence === known.evidence && row.occurrences === known.occurrences;
      if (isSame && row.status === "open" && row.is_safe === 1 && !isOver(tried, request.now))
        rows.push(row);
    }
    return rows.length === 0 ? null : queueFix(trx, rows, { ...request, assessments });
  });
}

/** Findings that could be fixed unattended now, grouped by task. */
async function dueGroups(
  deps: Pick<AutofixDependencies, "db" | "clock" | "assess" | "model">,
): Promise<Candidate[][]> {
  const { db, clock } = deps;
  const found = await listFixableFindings(db, maxPerRun.looked);
  const tried = Map.groupBy(
    await listFixes(
      db,
      found.map(({ id }) => id),
    ),
    ({ findingId }) => findingId,
  );
  const due = found.filter(({ id }) => !isOver(tried.get(id) ?? [], clock.now()));
  if (due.length === 0) return [];
  const [assessments, model] = await Promise.all([deps.assess(due), deps.model()]);
  const candidates = due
    .filter((row) => isAutoFixable(row, assessments.get(row.id), model))
    .map((row) => {
      const assessment = assessments.get(row.id);
      return { row, assessment, isExact: fixMethod(row, assessment, model).kind === "exact" };
    });
  return groupCandidates(candidates);
}

/** What the next run would queue without new findings; queues nothing. */
export async function autofixNow(
  deps: Pick<AutofixDependencies, "db" | "clock" | "assess" | "model">,
): Promise<{ findings: number; tasks: number }> {
  const groups = (await dueGroups(deps)).slice(0, maxPerRun.tasks);
  return { findings: groups.flat().length, tasks: groups.length };
}

/**
 * Queues what may be fixed unattended after a QA run: open, confirmed findings with one clear fix;
 * those that need a model only if one is selected. At most five tasks per run; not the same within
 * six hours, and not again after two attempts without a result. Returns the tasks.
 */
export async function autofix(deps: AutofixDependencies, runId: number): Promise<TaskRow[]> {
  const { log } = deps;
  if (!deps.enabled) return [];
  const tasks: TaskRow[] = [];
  for (const group of await dueGroups(deps)) {
    if (tasks.length >= maxPerRun.tasks) break;
    const task = await queueGroup(deps, group);
    if (task) tasks.push(task);
  }
  if (tasks.length > 0) {
    log.info({ runId, tasks: tasks.map(({ id }) => id) }, "queued fixes for findings");
    deps.wake?.();
  }
  return tasks;
}
