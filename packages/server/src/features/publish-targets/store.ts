import { type Generated, type Selectable, sql } from "kysely";
import { dialectOf } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Sealed } from "../../platform/secrets.ts";
import { clearMarks, deleteMarks } from "./mark-store.ts";
import { type StoredTarget, storedTarget, type TargetKind } from "./schema.ts";

interface TargetTable {
  id: Generated<number>;
  name: string;
  kind: TargetKind;
  settings: string;
  ciphertext: string | null;
  key_id: string | null;
  enabled: number;
  revision: Generated<number>;
  sent_release: number | null;
  sent_revision: number | null;
  sent_at: string | null;
  sent_files: Generated<number>;
  sent_bytes: Generated<number | string>;
  release: number | null;
  total_files: Generated<number>;
  done_files: Generated<number>;
  attempts: Generated<number>;
  next_attempt_at: string | null;
  error: string | null;
  state: string | null;
  created_at: string;
  updated_at: string;
}

const tables = (db: Db) => db.withTables<{ publish_target: TargetTable }>();

/** A stored target with the state of its deliveries. */
export interface TargetRow extends StoredTarget {
  id: number;
  name: string;
  kind: TargetKind;
  sealed: Sealed | null;
  isEnabled: boolean;
  /** Counts changes after which the same release has to be sent again. */
  revision: number;
  sent: { release: number; revision: number; at: string; files: number; bytes: number } | null;
  /** The release of the delivery that runs, was interrupted, or failed. */
  release: number | null;
  totalFiles: number;
  doneFiles: number;
  /** Failed attempts in a row. */
  attempts: number;
  nextAttemptAt: string | null;
  error: string | null;
}

function sentOf(row: Selectable<TargetTable>): TargetRow["sent"] {
  if (row.sent_release === null || row.sent_at === null) return null;
  return {
    release: row.sent_release,
    revision: row.sent_revision ?? 0,
    at: row.sent_at,
    files: row.sent_files,
    bytes: Number(row.sent_bytes),
  };
}

function toTarget(row: Selectable<TargetTable>): TargetRow {
  const sealed =
    row.ciphertext === null || row.key_id === null
      ? null
      : { ciphertext: row.ciphertext, keyId: row.key_id };
  return {
    ...storedTarget.parse(JSON.parse(row.settings)),
    id: row.id,
    name: row.name,
    kind: row.kind,
    sealed,
    isEnabled: row.enabled === 1,
    revision: row.revision,
    sent: sentOf(row),
    release: row.release,
    totalFiles: row.total_files,
    doneFiles: row.done_files,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    error: row.error,
  };
}

/** All targets in the order in which they were added. */
export async function listTargets(db: Db): Promise<TargetRow[]> {
  const rows = await tables(db).selectFrom("publish_target").selectAll().orderBy("id").execute();
  return rows.map(toTarget);
}

export async function findTarget(db: Db, id: number): Promise<TargetRow | null> {
  const row = await tables(db)
    .selectFrom("publish_target")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ? toTarget(row) : null;
}

/** Lets only one transaction at a time add targets; SQLite has one writer at a time anyway. */
export async function lockTargets(transaction: Db): Promise<void> {
  if (dialectOf(transaction) !== "postgres") return;
  await sql`lock table publish_target in share row exclusive mode`.execute(transaction);
}

/** What the owner determines. */
export interface TargetContent {
  name: string;
  stored: StoredTarget;
  sealed: Sealed | null;
}

function columnsOf({ name, stored, sealed }: TargetContent, now: string) {
  return {
    name,
    kind: stored.settings.kind,
    settings: JSON.stringify(stored),
    ciphertext: sealed?.ciphertext ?? null,
    key_id: sealed?.keyId ?? null,
    updated_at: now,
  };
}

/** Inserts a target; `now` is ISO 8601 UTC. Returns its ID. */
export async function insertTarget(db: Db, content: TargetContent, now: string): Promise<number> {
  const { id } = await tables(db)
    .insertInto("publish_target")
    .values({ ...columnsOf(content, now), enabled: 1, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** The columns of a delivery that is due at once. */
const dueNow = { release: null, attempts: 0, next_attempt_at: null, error: null } as const;

/**
 * Changes a target, so that it is sent to again. With `isElsewhere`, nothing is known of what is
 * there any more. False if there is none with this ID.
 */
export async function updateTarget(
  transaction: Db,
  id: number,
  content: TargetContent,
  { now, isElsewhere }: { now: string; isElsewhere: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(transaction)
    .updateTable("publish_target")
    .set(({ eb }) => ({
      ...columnsOf(content, now),
      ...dueNow,
      revision: eb("revision", "+", 1),
      ...(isElsewhere && { state: null, sent_release: null, sent_revision: null, sent_at: null }),
    }))
    .where("id", "=", id)
    .executeTakeFirst();
  if (isElsewhere) await deleteMarks(transaction, id);
  return Number(numUpdatedRows) > 0;
}

/** Pauses a target, or resumes it at once; false if there is none with this ID. */
export async function setTargetEnabled(
  db: Db,
  id: number,
  { isEnabled, now }: { isEnabled: boolean; now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("publish_target")
    .set({
      enabled: isEnabled ? 1 : 0,
      updated_at: now,
      ...(isEnabled && dueNow),
    })
    .where("id", "=", id)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/**
 * Makes a delivery due at once; with `everything`, also of what the target has already. False if
 * there is no such target.
 */
export async function requestDelivery(
  transaction: Db,
  id: number,
  { everything }: { everything: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(transaction)
    .updateTable("publish_target")
    .set(({ eb }) => ({
      ...dueNow,
      enabled: 1,
      ...(everything && { revision: eb("revision", "+", 1) }),
    }))
    .where("id", "=", id)
    .executeTakeFirst();
  if (everything) await clearMarks(transaction, id);
  return Number(numUpdatedRows) > 0;
}

export async function deleteTarget(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("publish_target")
    .where("id", "=", id)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

/**
 * Stores which release is being sent, and how far; false if the target was changed, paused, or
 * removed since.
 */
export async function updateProgress(
  db: Db,
  { id, revision }: Pick<TargetRow, "id" | "revision">,
  progress: { release: number; totalFiles: number; doneFiles: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("publish_target")
    .set({
      release: progress.release,
      total_files: progress.totalFiles,
      done_files: progress.doneFiles,
    })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .where("enabled", "=", 1)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/** Stores that a release was sent completely, unless the settings have changed since. */
export async function recordSent(
  db: Db,
  { id, revision }: Pick<TargetRow, "id" | "revision">,
  sent: { release: number; at: string; files: number; bytes: number },
): Promise<void> {
  await tables(db)
    .updateTable("publish_target")
    .set({
      ...dueNow,
      sent_release: sent.release,
      sent_revision: revision,
      sent_at: sent.at,
      sent_files: sent.files,
      sent_bytes: sent.bytes,
    })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .execute();
}

/** Stores why an attempt failed, unless the settings have changed since. */
export async function recordFailure(
  db: Db,
  { id, revision }: Pick<TargetRow, "id" | "revision">,
  failure: { release: number; attempts: number; error: string; nextAttemptAt: string | null },
): Promise<void> {
  await tables(db)
    .updateTable("publish_target")
    .set({
      release: failure.release,
      attempts: failure.attempts,
      error: failure.error,
      next_attempt_at: failure.nextAttemptAt,
    })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .execute();
}

/** The names of enabled targets whose last attempt failed. */
export async function listFailedTargets(db: Db): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("publish_target")
    .select("name")
    .where("enabled", "=", 1)
    .where("error", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ name }) => name);
}

/** The addresses of copies whose contact form may lead to this server. */
export async function listCopyOrigins(db: Db): Promise<string[]> {
  return (await listTargets(db))
    .filter(({ isEnabled, forms }) => isEnabled && forms === "origin")
    .flatMap(({ siteUrl }) => siteUrl ?? []);
}
