import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { copyChanges } from "../projects/run-changes/store.ts";
import type { Checkpoint } from "../workspace/workspace.ts";
import { findConversation, saveConversation } from "./conversation-store.ts";
import { insertEvents } from "./event-store.ts";
import { type RestoreMode, restoreTitle } from "./execute-restore.ts";
import { collectInstructions, type Instructions } from "./follow-up.ts";
import {
  emptyRequest,
  findActiveSuccessor,
  findRequest,
  insertRequest,
  type RunForm,
  type RunRequest,
} from "./request-store.ts";
import { canResume, findCheckpoint } from "./resumable.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { activeStatuses, invalidStateError, retryableStatuses } from "./run-status.ts";
import { setRunOwner } from "./runners/store.ts";
import type { Attachment, PickedElement, Run } from "./schema.ts";
import {
  findRun,
  findStatus,
  insertRun,
  listRunsByStatus,
  lockRun,
  type NewRun,
  requireRun,
  type RunRow,
} from "./store.ts";
import { insertRunTask, roleOf, type RunTask } from "./task-store.ts";

/** Maximum waiting and running runs. */
const maxActiveRuns = 20;

/** The attempt at a task that a run is started for. */
export interface TaskAttempt {
  task: RunTask;
  /** Whether it needs a model, because the literal editor can't do it. */
  needsModel: boolean;
  /** Runs in the transaction that starts the run: if it throws, nothing happens. */
  inTransaction(transaction: Db, runId: string): Promise<void>;
}

type StartedRun = Promise<{ runId: string }>;

/** Work that needs a model can't start without one; other work continues. */
export function modelMissing(): AppError {
  return new AppError(
    "model_not_configured",
    "This needs a language model. Choose one under Settings → Model.",
    {
      details: { concerns: "task" },
    },
  );
}

/** What a run is started with. */
interface RunDraft {
  run: Omit<NewRun, "id" | "status" | "created_at" | "base_commit" | "workspace_tree">;
  request: RunRequest;
  /** The checkpoint of `request.origin`, for a run that continues it. */
  checkpoint?: Checkpoint | undefined;
  attempt?: TaskAttempt | undefined;
}

/** Throws `validation_failed` with each attachment that is gone. */
export async function assertAttachments(
  { resolveAttachment }: Pick<RunDependencies, "resolveAttachment">,
  attachments: readonly Attachment[],
): Promise<void> {
  const fields: Record<string, string> = {};
  for (const [at, attachment] of attachments.entries()) {
    await resolveAttachment(attachment).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
      fields[`attachments.${at}`] = error.message;
    });
  }
  const [first] = Object.values(fields);
  if (first !== undefined) throw new AppError("validation_failed", first, { fields });
}

/**
 * In the transaction that starts a run: keeps its origin unchanged, and other runs from continuing
 * it.
 */
async function claimOrigin(trx: Db, origin: NonNullable<RunRequest["origin"]>): Promise<void> {
  const { runId, kind } = origin;
  const done = kind === "continue" ? "continued" : "applied again";
  if (!(await lockRun(trx, runId, ["preview_ready", "interrupted"]))) {
    const status = await findStatus(trx, runId);
    if (status === null) throw new AppError("not_found", "This run doesn't exist.");
    throw invalidStateError(done, status);
  }
  const successor = await findActiveSuccessor(trx, runId);
  if (successor === null) return;
  throw new AppError("invalid_state", "Another run is already continuing this work.", {
    details: { runId: successor },
  });
}

/**
 * Stores a queued run with everything that belongs to it; the caller passes it to the worker.
 * Throws `throttled` if too many are waiting, `invalid_state` if its origin can't be continued.
 */
async function queueRun(
  { db, clock, runnerId }: RunDependencies,
  { run, request, checkpoint, attempt }: RunDraft,
): StartedRun {
  if ((await listRunsByStatus(db, activeStatuses)).length >= maxActiveRuns) {
    throw new AppError(
      "throttled",
      "Too many runs are waiting. Wait until one has started, or stop one.",
      {
        headers: { "retry-after": "30" },
      },
    );
  }
  const id = newUlid(clock.now());
  const at = isoTime(clock.now());
  const work = checkpoint && {
    base_commit: checkpoint.baseCommit,
    workspace_tree: checkpoint.tree,
  };
  await db.transaction().execute(async (trx) => {
    const { origin } = request;
    if (origin) await claimOrigin(trx, origin);
    await insertRun(trx, { ...run, ...work, id, status: "queued", created_at: at });
    await setRunOwner(trx, id, runnerId);
    await insertRequest(trx, id, request);
    const earlier = origin?.kind === "continue" ? await findConversation(trx, origin.runId) : null;
    if (earlier !== null) await saveConversation(trx, id, earlier, at);
    if (origin?.kind === "continue") await copyChanges(trx, origin.runId, id);
    await insertEvents(trx, id, [{ type: "run.status", data: { status: "queued" } }], at);
    if (attempt) await insertRunTask(trx, id, attempt.task);
    await attempt?.inTransaction(trx, id);
  });
  return { runId: id };
}

/** The input of an edit. */
export interface EditRequest {
  instruction: string;
  pageUrl?: string | null | undefined;
  mode?: Run["mode"] | undefined;
  elements?: PickedElement[] | undefined;
  attachments?: Attachment[] | undefined;
  /** A ready or interrupted run that this instruction continues. */
  continues?: string | null | undefined;
}

interface EditDraft extends Instructions {
  pageUrl: string | null;
  mode: Run["mode"];
}

async function queueEdit(
  deps: RunDependencies,
  edit: EditDraft,
  from: Pick<RunDraft, "checkpoint" | "attempt"> & { origin: RunRequest["origin"] },
): StartedRun {
  const { instruction, elements, attachments } = edit;
  await deps.ledger.assertOpen();
  await assertAttachments(deps, attachments);
  const agent = await deps.selectAgent(roleOf(from.attempt?.task ?? null));
  if (from.attempt?.needsModel && agent.model === "literal") throw modelMissing();
  // A task reports its own failure.
  if (from.attempt === undefined) {
    const hasImages = attachments.length > 0;
    await agent.assertAccepts?.({ mode: edit.mode, text: instruction, hasImages }, deps);
  }
  return queueRun(deps, {
    run: {
      kind: "edit",
      mode: edit.mode,
      instruction,
      page_url: edit.pageUrl,
      restored_run_id: null,
      model: agent.model,
      actor: agent.name,
    },
    request: { ...emptyRequest, elements, attachments, origin: from.origin },
    checkpoint: from.checkpoint,
    attempt: from.attempt,
  });
}

/** The input of a form's run, and its title. */
export interface FormRequest {
  instruction: string;
  form: RunForm;
  origin?: RunRequest["origin"];
  /** The page that it is about; defaults to the home page. */
  pageUrl?: string | null;
  /** Stored images that the form adds to the site. */
  attachments?: Attachment[];
}

/** Stores a run that applies a form, without a model, on the newest version of the site. */
export async function startFormRun(deps: RunDependencies, request: FormRequest): StartedRun {
  const { instruction, form, origin = null, pageUrl = "/", attachments = [] } = request;
  return queueRun(deps, {
    run: {
      kind: "edit",
      mode: "build",
      instruction,
      page_url: pageUrl,
      restored_run_id: null,
      model: "none",
      actor: deps.owner.name,
    },
    request: { ...emptyRequest, form, origin, attachments },
  });
}

/** The form that a run was started with. */
function sameForm(row: RunRow, { attachments }: RunRequest, form: RunForm): FormRequest {
  return { instruction: row.instruction, form, pageUrl: row.page_url, attachments };
}

/** Starts an edit that continues a ready or interrupted run. */
async function continueRun(deps: RunDependencies, edit: EditDraft, origin: RunRow): StartedRun {
  if (origin.kind !== "edit") {
    throw new AppError("invalid_state", "Only edits can be continued.", {
      details: { status: origin.status },
    });
  }
  const checkpoint = await findCheckpoint(deps, origin);
  if (checkpoint === null) throw invalidStateError("continued", origin.status);
  return queueEdit(deps, edit, {
    origin: { runId: origin.id, kind: "continue" },
    checkpoint,
  });
}

/** Stores an edit, on the newest version of the site or on the work of `request.continues`. */
export async function startRun(
  deps: RunDependencies,
  request: EditRequest,
  attempt?: TaskAttempt,
): StartedRun {
  const { instruction, pageUrl = null, mode = "build" } = request;
  const { elements = [], attachments = [] } = request;
  const edit: EditDraft = { instruction, pageUrl: pageUrl ?? null, mode, elements, attachments };
  if (request.continues === null || request.continues === undefined) {
    return queueEdit(deps, edit, { origin: null, attempt });
  }
  return continueRun(deps, edit, await requireRun(deps.db, request.continues));
}

/** Stores a run that undoes a published one, or restores its version. */
export async function restoreRun(
  deps: RunDependencies,
  runId: string,
  mode: RestoreMode,
): StartedRun {
  const row = await requireRun(deps.db, runId);
  if (row.status !== "published" || row.commit_sha === null) {
    throw invalidStateError("restored", row.status);
  }
  return queueRun(deps, {
    run: {
      kind: "restore",
      mode: "build",
      instruction: restoreTitle(mode, row.message),
      page_url: row.page_url,
      restored_run_id: row.id,
      model: "none",
      actor: deps.owner.name,
    },
    request: { ...emptyRequest, restore: mode },
  });
}

/** What a retry continues: the work that the first attempt continued, if it still exists. */
async function findRetryOrigin(
  deps: RunDependencies,
  { origin }: RunRequest,
  fresh: boolean,
): Promise<{ origin: RunRequest["origin"]; checkpoint?: Checkpoint } | null> {
  const before = origin === null ? null : await findRun(deps.db, origin.runId);
  if (origin === null || !before) return null;
  if (origin.kind === "reapply") {
    const waits = before.status === "preview_ready" || before.status === "interrupted";
    return waits ? { origin } : null;
  }
  const checkpoint = fresh ? null : await findCheckpoint(deps, before);
  return checkpoint && { origin, checkpoint };
}

/** Stores a run with the same instruction, from where the old one stopped if possible. */
export async function retryRun(deps: RunDependencies, runId: string, fresh: boolean): StartedRun {
  const row = await requireRun(deps.db, runId);
  if (!retryableStatuses.includes(row.status)) throw invalidStateError("retried", row.status);
  const request = await findRequest(deps.db, runId);
  if (row.restored_run_id !== null)
    return restoreRun(deps, row.restored_run_id, request.restore ?? "undo");
  if (request.form !== null) return startFormRun(deps, sameForm(row, request, request.form));
  const { instruction, mode, page_url: pageUrl } = row;
  const same: EditDraft = { ...request, instruction, mode, pageUrl };
  if (!fresh && (await canResume(deps, row))) return continueRun(deps, same, row);
  const again = await findRetryOrigin(deps, request, fresh);
  if (again) return queueEdit(deps, same, again);
  return queueEdit(
    deps,
    { ...same, ...(await collectInstructions(deps.db, row)) },
    { origin: null },
  );
}

/** Repeats an edit on the newest version of the site; the new run replaces this one. */
export async function reapplyRun(deps: RunDependencies, runId: string): StartedRun {
  const row = await requireRun(deps.db, runId);
  const request = await findRequest(deps.db, runId);
  const waits = row.status === "preview_ready" || row.status === "interrupted";
  if (!waits || row.kind !== "edit") throw invalidStateError("applied again", row.status);
  const origin = { runId, kind: "reapply" } as const;
  if (request.form !== null) {
    return startFormRun(deps, { ...sameForm(row, request, request.form), origin });
  }
  const { mode, page_url: pageUrl } = row;
  const edit: EditDraft = { ...(await collectInstructions(deps.db, row)), mode, pageUrl };
  return queueEdit(deps, edit, { origin });
}
