import { findRefusal } from "./private/confirmations.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import {
  findLastSucceeded,
  lastEnded,
  lastStartedId,
  requestFrom,
  listRebuilds,
  upsertPending,
} from "./rebuild-store.ts";
import type { RebuildState } from "./schema.ts";

/** Maximum characters of a stored reason, which becomes part of a commit's subject. */
const maxReasonLength = 160;

/**
 * Requests a rebuild of the site in the transaction of the change that needs it (`db` may be one),
 * so that both happen or neither. Requests are merged until a rebuild starts. `reason` says what
 * has changed, without a full stop. `now` in ms.
 */
export async function requestRebuild(
  db: Db,
  { reason, now }: { reason: string; now: number },
): Promise<void> {
  const at = isoTime(now);
  const reasonText = cleanText(reason).slice(0, maxReasonLength) || "records";
  await upsertPending(db, { reason: reasonText, requestedAt: at, lastRequestedAt: at });
}

/**
 * Runs a task that replaces the site with one based on the records at its start. If a rebuild
 * started in the meantime, it may have shown newer ones, so another one is requested. `now` in ms.
 */
export async function supersedeRebuilds<T>(
  db: Db,
  { reason, now }: { reason: string; now(): number },
  task: () => Promise<T>,
): Promise<T> {
  const before = await lastStartedId(db);
  const result = await task();
  if ((await lastStartedId(db)) !== before) await requestRebuild(db, { reason, now: now() });
  return result;
}

/** Requests a rebuild and returns the request's ID for `rebuildEnd`. */
export async function requestRebuildWithId(
  db: Db,
  request: { reason: string; now: number },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await requestRebuild(transaction, request);
    const pending = await pendingRebuild(transaction);
    if (pending === null) throw new Error("The request for a rebuild is gone.");
    return pending;
  });
}

/** The pending request, for `rebuildEnd`; null if there is none. */
export async function pendingRebuild(db: Db): Promise<number | null> {
  const [pending] = await listRebuilds(db, "pending");
  return pending?.id ?? null;
}

/** How the rebuild of this request ended; null if it hasn't. */
export async function rebuildEnd(
  db: Db,
  id: number,
): Promise<{ error: string | null; commit: string | null; release: number | null } | null> {
  const row = await requestFrom(db, id);
  if (row?.status !== "done" && row?.status !== "failed") return null;
  return { error: row.error, commit: row.commit_sha, release: row.release_number };
}

/** How far the site is behind the records. */
export async function rebuildState(db: Db): Promise<RebuildState> {
  const last = await lastEnded(db);
  const done = last?.status === "failed" ? await findLastSucceeded(db) : last;
  const [building] = await listRebuilds(db, "building");
  const [pending] = await listRebuilds(db, "pending");
  const current = building ?? pending;
  const latest = current ?? last;
  const state = building ? "building" : pending ? "pending" : null;
  return {
    state: state ?? (last?.status === "failed" ? "failed" : "idle"),
    reason: latest?.reason ?? null,
    requestedAt: latest?.requested_at ?? null,
    finishedAt: last?.finished_at ?? null,
    error: last?.error ?? null,
    privateTexts: state === null && last?.status === "failed" ? await findRefusal(db) : null,
    release: done?.release_number ?? null,
  };
}

/**
 * Why the last rebuild failed, as public text: without details, which name files and records. Null
 * if it succeeded, or there was none.
 */
export async function rebuildFailure(db: Db): Promise<string | null> {
  const last = await lastEnded(db);
  if (last?.status !== "failed") return null;
  const [reasonText = ""] = (last.error ?? "").split(/: |\.(?: |$)/, 1);
  return reasonText === "" ? "the reason is in the log" : reasonText;
}
