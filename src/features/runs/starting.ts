import { AppError } from "../../kit/errors.ts";
import { type Words, wordsOf } from "./again.ts";
import type { Stand } from "../workspace/workspace.ts";
import { assertPictures, type Beginning, begin, type BegunFor } from "./beginning.ts";
import type { RunsContext } from "./context.ts";
import { need } from "./context.ts";
import { findRequest, plainRequest, type RunRequest } from "./request-store.ts";
import { restoreTitle, type RestoreMode } from "./restore.ts";
import { invalidState, retryableStatuses } from "./run.ts";
import type { Attachment, PickedElement, Run } from "./schema.ts";
import { canRetryThere, leftStanding } from "./standing.ts";
import { findRun, type RunRow } from "./store.ts";

/** What an edit is asked with. */
export interface EditRequest {
  instruction: string;
  pageUrl?: string | null | undefined;
  mode?: Run["mode"] | undefined;
  elements?: PickedElement[] | undefined;
  attachments?: Attachment[] | undefined;
  /** A run that is ready or was interrupted, on whose work this instruction builds. */
  continues?: string | null | undefined;
}

interface Edit extends Words {
  pageUrl: string | null;
  mode: Run["mode"];
}

type Started = Promise<{ runId: string }>;

async function beginEdit(
  context: RunsContext,
  edit: Edit,
  from: Pick<Beginning, "stand" | "begun"> & { origin: RunRequest["origin"] },
): Started {
  const { instruction, elements, attachments } = edit;
  await context.ledger.assertOpen();
  await assertPictures(context, attachments);
  const agent = await context.agent();
  return begin(context, {
    run: {
      kind: "edit",
      mode: edit.mode,
      instruction,
      page_url: edit.pageUrl,
      restores: null,
      model: agent.model,
      actor: agent.name,
    },
    request: { elements, attachments, origin: from.origin, restore: null },
    ...(from.stand ? { stand: from.stand } : {}),
    ...(from.begun ? { begun: from.begun } : {}),
  });
}

/** Begins an edit on the work of a run that is ready or was interrupted. */
async function goOn(context: RunsContext, edit: Edit, origin: RunRow): Started {
  if (origin.kind !== "edit") {
    throw new AppError("invalid_state", "Only edits can be continued.", {
      details: { status: origin.status },
    });
  }
  const stand = await leftStanding(context, origin);
  if (stand === null) throw invalidState("continued", origin.status);
  return beginEdit(context, edit, { origin: { runId: origin.id, kind: "continue" }, stand });
}

export async function start(context: RunsContext, request: EditRequest, begun?: BegunFor): Started {
  const { instruction, pageUrl = null, mode = "build" } = request;
  const { elements = [], attachments = [] } = request;
  const edit: Edit = { instruction, pageUrl: pageUrl ?? null, mode, elements, attachments };
  if (request.continues === null || request.continues === undefined) {
    return beginEdit(context, edit, { origin: null, ...(begun ? { begun } : {}) });
  }
  return goOn(context, edit, await need(context, request.continues));
}

export async function restore(context: RunsContext, runId: string, mode: RestoreMode): Started {
  const row = await need(context, runId);
  if (row.status !== "published" || row.commit_sha === null) {
    throw invalidState("restored", row.status);
  }
  return begin(context, {
    run: {
      kind: "restore",
      mode: "build",
      instruction: restoreTitle(mode, row.message),
      page_url: row.page_url,
      restores: row.id,
      model: "none",
      actor: context.owner.name,
    },
    request: { ...plainRequest, restore: mode },
  });
}

/** What a run goes on with that tries another one again: the work of the same run, if it is there. */
async function originAgain(
  context: RunsContext,
  { origin }: RunRequest,
  fresh: boolean,
): Promise<{ origin: RunRequest["origin"]; stand?: Stand } | null> {
  const before = origin === null ? null : await findRun(context.db, origin.runId);
  if (origin === null || !before) return null;
  if (origin.kind === "reapply") {
    const waits = before.status === "preview_ready" || before.status === "interrupted";
    return waits ? { origin } : null;
  }
  const stand = fresh ? null : await leftStanding(context, before);
  return stand && { origin, stand };
}

export async function retry(context: RunsContext, runId: string, fresh: boolean): Started {
  const row = await need(context, runId);
  if (!retryableStatuses.includes(row.status)) throw invalidState("retried", row.status);
  const request = await findRequest(context.db, runId);
  if (row.restores !== null) return restore(context, row.restores, request.restore ?? "undo");
  const { instruction, mode, page_url: pageUrl } = row;
  const same: Edit = { ...request, instruction, mode, pageUrl };
  if (!fresh && (await canRetryThere(context, row))) return goOn(context, same, row);
  const again = await originAgain(context, request, fresh);
  if (again) return beginEdit(context, same, again);
  return beginEdit(context, { ...same, ...(await wordsOf(context.db, row)) }, { origin: null });
}

/** Has an edit carried out anew on the newest version of the site; the present one makes way for it. */
export async function reapply(context: RunsContext, runId: string): Started {
  const row = await need(context, runId);
  const waits = row.status === "preview_ready" || row.status === "interrupted";
  if (!waits || row.kind !== "edit") throw invalidState("applied again", row.status);
  const { mode, page_url: pageUrl } = row;
  const edit: Edit = { ...(await wordsOf(context.db, row)), mode, pageUrl };
  return beginEdit(context, edit, { origin: { runId, kind: "reapply" } });
}
