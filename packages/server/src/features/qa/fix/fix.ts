import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { cleanText } from "../../../kit/text.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import { makeRunEvents } from "../../runs/events.ts";
import { queueTask, retryTask } from "../../tasks/queue/queue.ts";
import type { TaskStatus } from "../../tasks/schema.ts";
import { deriveScope } from "../../tasks/scope/derive-scope.ts";
import { findTask, inTransaction, type TaskRow } from "../../tasks/store.ts";
import { findFinding, type FindingRow, queueFinding } from "../findings/store.ts";
import { qaBounds } from "../schema.ts";
import type { Assess, Assessment } from "../source/assess.ts";
import { saveAssessments } from "../source/store.ts";
import { evidenceOf, occurrencesOf } from "./evidence.ts";
import { fixMethod, type FixModel, refusalMessages } from "./fix-method.ts";
import { instructionOf, isExact, taskPage, taskTitle } from "./instruction.ts";
import { repairOf } from "./repair.ts";
import {
  measureClockSkewMs,
  listFixes,
  insertFix,
  isUnderWay,
  lockFinding,
  reopenFinding,
  listRunsSince,
} from "./store.ts";

/** How long an equal request for the same finding is treated as the same, in ms. */
export const duplicateFixMs = 6 * 60 * 60 * 1000;

const failedStatuses: ReadonlySet<TaskStatus> = new Set(["reverted", "failed", "cancelled"]);

export interface FixDependencies {
  db: Db;
  clock: Clock;
  /** Determines how findings could be fixed. */
  assess: Assess;
  /** The abilities of the selected model. */
  model(): Promise<FixModel>;
}

export interface FixRequest {
  findingId: number;
  /** The owner's note. */
  instruction?: string | null;
  /** The caller: a person, or a program on a person's behalf. */
  by: string;
}

/** The task of a fix, and whether it is new. */
export interface Fix {
  task: TaskRow;
  created: boolean;
  /** Whether the owner's note will be followed; null without one. */
  isNoteFollowed: boolean | null;
}

type QueuedFix = Omit<Fix, "isNoteFollowed">;

const notFound = () => new AppError("not_found", "This finding doesn't exist.");

function invalidState(status: string, taskId: number | null): AppError {
  const words = status === "queued" ? "already has another task" : `is ${status}`;
  const details = taskId === null ? { status } : { status, taskId };
  return new AppError("invalid_state", `A finding that ${words} can't be queued for a fix.`, {
    details,
  });
}

/** The normalized note, so that equal notes compare as equal. */
const wordsOf = (instruction: string | null | undefined) =>
  cleanText(instruction ?? "", { multiline: true }).slice(0, qaBounds.instruction);

interface QueueFixOptions {
  /** By finding ID, where it is edited, and the instruction that fixes it without a model. */
  assessments: ReadonlyMap<number, Assessment>;
  instruction: string;
  /** Whether the note can be followed by whoever makes the fix. */
  areWordsFollowed: boolean;
  by: string;
  automatic: boolean;
  now: number;
}

/** The pages of findings, by their addresses. */
function pagesOf(rows: readonly FindingRow[]): string[] {
  const pages = rows.flatMap((row) => [
    row.page_url,
    ...occurrencesOf(row).map(({ page }) => page),
  ]);
  return [...new Set(pages.flatMap((page) => taskPage(page) ?? []))];
}

/** The targets of findings, and their literal address if a check provides one. */
function targetsOf(rows: readonly FindingRow[]): string[] {
  return rows.flatMap((row) => {
    const { target, href, src } = evidenceOf(row);
    return [row.target, target, href, src].filter((one) => typeof one === "string");
  });
}

/**
 * Creates the task for open findings that the transaction has locked, and assigns them to it.
 * Several are fixed together.
 */
export async function queueFix(
  trx: Db,
  rows: readonly FindingRow[],
  { assessments, instruction: ownerInstruction, areWordsFollowed, ...options }: QueueFixOptions,
): Promise<TaskRow> {
  const { by, automatic, now } = options;
  const [first] = rows;
  if (first === undefined) throw new Error("A repair of nothing.");
  const at = isoTime(now);
  const exact = rows.map(({ id }) => assessments.get(id)?.repair ?? null);
  const sources = new Map(rows.map(({ id }) => [id, assessments.get(id)?.source ?? null]));
  // A note that can't be followed doesn't affect the scope.
  const scopeWords = areWordsFollowed ? ownerInstruction : "";
  const task = await queueTask(
    trx,
    {
      kind: "qa-fix",
      title: taskTitle(rows),
      instruction: instructionOf(rows, repairOf(rows, exact), ownerInstruction, sources),
      pageUrl: taskPage(first.page_url),
      projectId: null,
      findingId: first.id,
      attachments: [],
      priority: 0,
      actor: by,
      scope: deriveScope({
        kind: "qa-fix",
        instruction: scopeWords,
        pageUrl: taskPage(first.page_url),
        projectPath: null,
        hasAttachments: false,
        finding: { check: first.check_id, pages: pagesOf(rows), targets: targetsOf(rows) },
      }),
    },
    at,
  );
  for (const { id } of rows) {
    const taskId = task.id;
    const queued = await queueFinding(trx, id, { taskId, instruction: ownerInstruction || null });
    if (!queued) throw new Error("A finding has moved although it is locked.");
    const instructionHash = sha256Hex(ownerInstruction);
    await insertFix(trx, { findingId: id, taskId, instructionHash, automatic, createdAt: at });
  }
  return task;
}

/** Whether a QA run that started after the task went live has seen the finding. */
async function isStillSeen(
  trx: Db,
  row: FindingRow,
  { status, finished_at: ended }: TaskRow,
  now: number,
): Promise<boolean> {
  if (status !== "published" || ended === null) return false;
  const ahead = await measureClockSkewMs(trx, () => now);
  const runs = await listRunsSince(trx, isoTime(Date.parse(ended) + ahead));
  return runs.some(({ id }) => id === row.last_run_id);
}

/** Whether an unsuccessful task had an instruction other than the exact one known now. */
function isSuperseded({ status, instruction }: TaskRow, repair: string | null): boolean {
  if (repair === null || !failedStatuses.has(status)) return false;
  return !textBeforeData(instruction).includes(repair);
}

/**
 * The task created for the same request within the last hours; null if there is none, or if it went
 * live and the finding still exists, because the caller then wants another attempt.
 */
async function findRecentFix(
  trx: Db,
  row: FindingRow,
  options: QueueFixOptions,
): Promise<TaskRow | null> {
  const since = isoTime(options.now - duplicateFixMs);
  const hash = sha256Hex(options.instruction);
  const same = (await listFixes(trx, [row.id])).find(
    ({ instructionHash, createdAt }) => instructionHash === hash && createdAt > since,
  );
  const task = same ? await findTask(trx, same.taskId) : null;
  if (task === null || isSuperseded(task, options.assessments.get(row.id)?.repair ?? null))
    return null;
  return (await isStillSeen(trx, row, task, options.now)) ? null : task;
}

/** The finding's task, if it is for the same request; otherwise throws. */
async function findQueuedFix(
  trx: Db,
  row: FindingRow,
  options: QueueFixOptions,
): Promise<TaskRow | null> {
  const task = row.task_id === null ? null : await findTask(trx, row.task_id);
  if (
    task === null ||
    options.instruction === "" ||
    options.instruction === (row.instruction ?? "")
  )
    return task;
  throw invalidState(row.status, task.id);
}

async function queueOrFindFix(
  trx: Db,
  findingId: number,
  options: QueueFixOptions,
): Promise<QueuedFix> {
  const row = await lockFinding(trx, findingId);
  if (row === null) throw notFound();
  if (row.status === "queued") {
    const task = await findQueuedFix(trx, row, options);
    if (task) return { task, created: false };
    await reopenFinding(trx, row.id);
  } else if (row.status !== "open") {
    throw invalidState(row.status, null);
  }
  const before = await findRecentFix(trx, row, options);
  if (before) {
    // Somebody has restarted it, or it has gone live and hasn't been checked yet.
    const given = { taskId: before.id, instruction: options.instruction || null };
    const waits = isUnderWay(before.status) || before.status === "published";
    if (waits) await queueFinding(trx, row.id, given);
    return { task: before, created: false };
  }
  // Its state has changed since it was assessed.
  if (!options.assessments.has(row.id)) {
    throw new AppError("conflict", "The finding has just changed. Try again.");
  }
  return { task: await queueFix(trx, [row], options), created: true };
}

/** Restarts an unsuccessful task, because a person asks for it again. */
async function retryFix(
  { db, clock }: Pick<FixDependencies, "db" | "clock">,
  task: TaskRow,
  request: FixRequest,
): Promise<TaskRow> {
  const events = makeRunEvents({ db, clock });
  const row = await retryTask({ db, clock, events }, task.id, request.by).catch(
    async (error: unknown) => {
      // Somebody else has restarted it in the meantime.
      const now = error instanceof AppError ? await findTask(db, task.id) : null;
      if (now && !failedStatuses.has(now.status)) return now;
      throw error;
    },
  );
  const instruction = wordsOf(request.instruction) || null;
  await queueFinding(db, request.findingId, { taskId: row.id, instruction });
  return row;
}

function assertFixable(
  row: FindingRow,
  assessment: Assessment | undefined,
  { model, words }: { model: FixModel; words: string },
): void {
  // An exact instruction from the owner is all that the literal editor needs.
  const known = isExact(words) ? { source: null, repair: words } : assessment;
  const { refusal } = fixMethod(row, known, model);
  if (refusal === null) return;
  const message = `${refusalMessages[refusal]} Set one up on the settings page.`;
  throw new AppError("model_not_configured", message, { details: { reason: refusal } });
}

/** Assesses an open finding; throws if no task could fix it. */
async function assessFinding(
  { db, assess }: FixDependencies,
  findingId: number,
  given: { model: FixModel; words: string },
): Promise<ReadonlyMap<number, Assessment>> {
  const row = await findFinding(db, findingId);
  const hasTask = row?.status === "queued" && row.task_status !== null;
  if (row === null || hasTask || (row.status !== "open" && row.status !== "queued")) {
    return new Map();
  }
  const assessments = await assess([row]);
  await saveAssessments(db, assessments);
  assertFixable(row, assessments.get(row.id), given);
  return assessments;
}

/**
 * Adds an open finding to the queue, in one transaction. The same request within six hours is the
 * same task; if that had no result, it is restarted, and if it went live without success, another
 * one is created. Before anything is queued, throws `not_found`, `invalid_state` with the current
 * state as details if the finding is fixed, ignored, or assigned to a task with a different note,
 * and `model_not_configured` with the reason as details if there is no suitable model.
 */
export async function fixFinding(deps: FixDependencies, request: FixRequest): Promise<Fix> {
  const { findingId, by } = request;
  const words = wordsOf(request.instruction);
  const model = await deps.model();
  const assessments = await assessFinding(deps, findingId, { model, words });
  const areWordsFollowed = model !== null || isExact(words);
  const now = deps.clock.now();
  const following = { instruction: words, areWordsFollowed };
  const options = { assessments, ...following, by, automatic: false, now };
  const fix = await inTransaction(deps.db, (trx) => queueOrFindFix(trx, findingId, options));
  const isNoteFollowed = words === "" ? null : areWordsFollowed;
  const stale = !fix.created && failedStatuses.has(fix.task.status);
  const task = stale ? await retryFix(deps, fix.task, request) : fix.task;
  return { task, created: fix.created, isNoteFollowed };
}
