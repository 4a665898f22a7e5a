import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Stand } from "../workspace/workspace.ts";
import { findConversation, saveConversation } from "./conversation-store.ts";
import { insertEvents } from "./event-store.ts";
import { activeHeir, insertRequest, type RunRequest } from "./request-store.ts";
import { activeStatuses, invalidState } from "./run.ts";
import { setOwner } from "./runners/store.ts";
import type { Attachment } from "./schema.ts";
import { findStatus, holdRun, insertRun, type NewRun, runsIn } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import { insertRunTask, type TaskOfRun } from "./task-store.ts";
import type { Worker } from "./worker.ts";

/** How many runs may wait or work at the same time. */
const mostActive = 20;

/** The task that a run is begun for, with what joins the transaction that begins it. */
export interface BegunFor {
  task: TaskOfRun;
  /** Throws, and nothing has begun. */
  along(transaction: Db, runId: string): Promise<void>;
}

/** What a run is begun with. */
export interface Beginning {
  run: Omit<NewRun, "id" | "status" | "created_at" | "base_commit" | "workspace_tree">;
  request: RunRequest;
  /** Where the work of `request.origin` stands, for a run that continues it. */
  stand?: Stand;
  begun?: BegunFor;
}

/** Throws `validation_failed` naming each picture that can't go along. */
export async function assertPictures(
  { pictureOf }: Pick<Surroundings, "pictureOf">,
  attachments: readonly Attachment[],
): Promise<void> {
  const fields: Record<string, string> = {};
  for (const [at, attachment] of attachments.entries()) {
    await pictureOf(attachment).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
      fields[`attachments.${at}`] = error.message;
    });
  }
  const [first] = Object.values(fields);
  if (first !== undefined) throw new AppError("validation_failed", first, { fields });
}

/** In the transaction that begins a run: its origin stays as it is, and nobody else takes it up. */
async function claimOrigin(trx: Db, origin: NonNullable<RunRequest["origin"]>): Promise<void> {
  const { runId, kind } = origin;
  const done = kind === "continue" ? "continued" : "applied again";
  if (!(await holdRun(trx, runId, ["preview_ready", "interrupted"]))) {
    const status = await findStatus(trx, runId);
    if (status === null) throw new AppError("not_found", "There is no such run.");
    throw invalidState(done, status);
  }
  const heir = await activeHeir(trx, runId);
  if (heir === null) return;
  throw new AppError("invalid_state", "Another run has taken this work up already.", {
    details: { runId: heir },
  });
}

/**
 * Records a run with all that belongs to it and gives it to the worker. Throws `throttled` when too
 * many are waiting, `invalid_state` when its origin can't be taken up.
 */
export async function begin(
  { db, clock, worker, runnerId }: { db: Db; clock: Clock; worker: Worker; runnerId: string },
  { run, request, stand, begun }: Beginning,
): Promise<{ runId: string }> {
  if ((await runsIn(db, activeStatuses)).length >= mostActive) {
    throw new AppError("throttled", "Too many runs are waiting.", {
      headers: { "retry-after": "30" },
    });
  }
  const id = newUlid(clock.now());
  const at = isoTime(clock.now());
  const standing = stand ? { base_commit: stand.baseCommit, workspace_tree: stand.tree } : {};
  await db.transaction().execute(async (trx) => {
    const { origin } = request;
    if (origin) await claimOrigin(trx, origin);
    await insertRun(trx, { ...run, ...standing, id, status: "queued", created_at: at });
    await setOwner(trx, id, runnerId);
    await insertRequest(trx, id, request);
    const earlier = origin?.kind === "continue" ? await findConversation(trx, origin.runId) : null;
    if (earlier !== null) await saveConversation(trx, id, earlier, at);
    await insertEvents(trx, id, [{ type: "run.status", data: { status: "queued" } }], at);
    if (begun) await insertRunTask(trx, id, begun.task);
    await begun?.along(trx, id);
  });
  worker.enqueue(id);
  return { runId: id };
}
