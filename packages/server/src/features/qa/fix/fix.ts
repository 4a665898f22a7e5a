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

/** For how long the same repair of the same finding is the one that was asked for before, in ms. */
export const duplicateFixMs = 6 * 60 * 60 * 1000;

const failedStatuses: ReadonlySet<TaskStatus> = new Set(["reverted", "failed", "cancelled"]);

export interface FixDependencies {
  db: Db;
  clock: Clock;
  /** Looks into how findings could be fixed. */
  assess: Assess;
  /** What the model in use can do. */
  model(): Promise<FixModel>;
}

export interface FixRequest {
  findingId: number;
  /** What the owner says to it. */
  instruction?: string | null;
  /** Who asks: a person, or a program in a person's name. */
  by: string;
}

/** The task of a repair, and whether it was made now. */
export interface Fix {
  task: TaskRow;
  created: boolean;
  /** Whether what the owner says to it will be followed; null where the owner says nothing. */
  isNoteFollowed: boolean | null;
}

type QueuedFix = Omit<Fix, "isNoteFollowed">;

const notFound = () => new AppError("not_found", "This finding doesn't exist.");

function invalidState(status: string, taskId: number | null): AppError {
  const words = status === "queued" ? "is in the hands of another task" : `is ${status}`;
  const details = taskId === null ? { status } : { status, taskId };
  return new AppError("invalid_state", `A finding that ${words} can't be given to a task.`, {
    details,
  });
}

/** What the owner says, so that the same words are the same. */
const wordsOf = (instruction: string | null | undefined) =>
  cleanText(instruction ?? "", { multiline: true }).slice(0, qaBounds.instruction);

interface QueueFixOptions {
  /** Of each finding by its id, the instruction that fixes it without a model; null for none. */
  repairs: ReadonlyMap<number, string | null>;
  instruction: string;
  /** Whether whoever fixes it can follow the owner's words. */
  areWordsFollowed: boolean;
  by: string;
  automatic: boolean;
  now: number;
}

/** The pages that findings are on, by their addresses alone. */
function pagesOf(rows: readonly FindingRow[]): string[] {
  const pages = rows.flatMap((row) => [
    row.page_url,
    ...occurrencesOf(row).map(({ page }) => page),
  ]);
  return [...new Set(pages.flatMap((page) => taskPage(page) ?? []))];
}

/** What findings are about: the target, and the address as it is written, where a check gives one. */
function targetsOf(rows: readonly FindingRow[]): string[] {
  return rows.flatMap((row) => {
    const { target, href, src } = evidenceOf(row);
    return [row.target, target, href, src].filter((one) => typeof one === "string");
  });
}

/**
 * Makes the task of open findings that the transaction has locked, and gives them to it. Several are
 * fixed together.
 */
export async function queueFix(
  trx: Db,
  rows: readonly FindingRow[],
  { repairs, instruction: ownerInstruction, areWordsFollowed, by, automatic, now }: QueueFixOptions,
): Promise<TaskRow> {
  const [first] = rows;
  if (first === undefined) throw new Error("A repair of nothing.");
  const at = isoTime(now);
  const exact = rows.map(({ id }) => repairs.get(id) ?? null);
  // Words that nobody follows say nothing of what may change.
  const scopeWords = areWordsFollowed ? ownerInstruction : "";
  const task = await queueTask(
    trx,
    {
      kind: "qa-fix",
      title: taskTitle(rows),
      instruction: instructionOf(rows, repairOf(rows, exact), ownerInstruction),
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

/** Whether a QA run that began after the task went live has seen the finding still. */
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

/** Whether a task that came to nothing was asked for something else than what is known to work now. */
function isSuperseded({ status, instruction }: TaskRow, repair: string | null): boolean {
  if (repair === null || !failedStatuses.has(status)) return false;
  return !textBeforeData(instruction).includes(repair);
}

/**
 * The task that was made for the same within the last hours; null when there is none, or when it
 * went live and the finding is there all the same: who asks then wants another try.
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
  if (task === null || isSuperseded(task, options.repairs.get(row.id) ?? null)) return null;
  return (await isStillSeen(trx, row, task, options.now)) ? null : task;
}

/** What the finding waits for, when that is what is asked for; throws when it is something else. */
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
    // Somebody has had it begun anew, or it has gone live, and nobody has looked since.
    const given = { taskId: before.id, instruction: options.instruction || null };
    const waits = isUnderWay(before.status) || before.status === "published";
    if (waits) await queueFinding(trx, row.id, given);
    return { task: before, created: false };
  }
  // It was in another state when it was looked into.
  if (!options.repairs.has(row.id)) {
    throw new AppError("conflict", "The finding has just changed. Try again.");
  }
  return { task: await queueFix(trx, [row], options), created: true };
}

/** A task that came to nothing is begun anew, for it is what a person asks for again. */
async function retryFix(
  { db, clock }: Pick<FixDependencies, "db" | "clock">,
  task: TaskRow,
  request: FixRequest,
): Promise<TaskRow> {
  const events = makeRunEvents({ db, clock });
  const row = await retryTask({ db, clock, events }, task.id, request.by).catch(
    async (error: unknown) => {
      // Somebody else has begun it meanwhile.
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
  // What the owner says exactly is all that the literal editor needs.
  const known = isExact(words) ? { source: null, repair: words } : assessment;
  const { refusal } = fixMethod(row, known, model);
  if (refusal === null) return;
  const message = `${refusalMessages[refusal]} Set one up on the settings page.`;
  throw new AppError("model_not_configured", message, { details: { reason: refusal } });
}

/** Looks into an open finding, and throws where no task could fix it. */
async function readRepairs(
  { db, assess }: FixDependencies,
  findingId: number,
  given: { model: FixModel; words: string },
): Promise<ReadonlyMap<number, string | null>> {
  const row = await findFinding(db, findingId);
  const hasTask = row?.status === "queued" && row.task_status !== null;
  if (row === null || hasTask || (row.status !== "open" && row.status !== "queued")) {
    return new Map();
  }
  const assessments = await assess([row]);
  await saveAssessments(db, assessments);
  assertFixable(row, assessments.get(row.id), given);
  return new Map(Array.from(assessments, ([id, { repair }]) => [id, repair]));
}

/**
 * Gives an open finding to a task of the queue, in one transaction. The same with the same words
 * within six hours is the same task; when that came to nothing, who asks again has it begun anew, and
 * when it went live and did not help, another is made. Throws `not_found`, `invalid_state` with the
 * present state as details for a finding that is fixed, ignored, or in the hands of a task with other
 * words, and `model_not_configured` with the reason as details, before anything is queued, where a
 * model is needed that there isn't.
 */
export async function fixFinding(deps: FixDependencies, request: FixRequest): Promise<Fix> {
  const { findingId, by } = request;
  const words = wordsOf(request.instruction);
  const model = await deps.model();
  const repairs = await readRepairs(deps, findingId, { model, words });
  const areWordsFollowed = model !== null || isExact(words);
  const now = deps.clock.now();
  const options = { repairs, instruction: words, areWordsFollowed, by, automatic: false, now };
  const fix = await inTransaction(deps.db, (trx) => queueOrFindFix(trx, findingId, options));
  const isNoteFollowed = words === "" ? null : areWordsFollowed;
  const stale = !fix.created && failedStatuses.has(fix.task.status);
  const task = stale ? await retryFix(deps, fix.task, request) : fix.task;
  return { task, created: fix.created, isNoteFollowed };
}
