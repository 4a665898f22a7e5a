import { type ExpressionBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { type FindingTables, type IgnoreRow, tables } from "./store.ts";

interface NewIgnore {
  kind: IgnoreRow["kind"];
  fingerprint: string | null;
  check: string | null;
  pageUrl: string | null;
  reason: string;
  until: string | null;
  by: string;
  at: string;
}

/** Stores an ignore rule and returns its ID; later ones have higher IDs. */
export async function insertIgnore(trx: Db, ignore: NewIgnore): Promise<number> {
  const { kind, fingerprint, reason } = ignore;
  const { id } = await tables(trx)
    .insertInto("finding_ignore")
    .values({
      kind,
      fingerprint,
      check_id: ignore.check,
      page_url: ignore.pageUrl,
      reason,
      created_by: ignore.by,
      created_at: ignore.at,
      expires_at: ignore.until,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** An ignore rule and the number of findings it hides. */
export type IgnoreRule = IgnoreRow & { findings: number };

/** All ignore rules, newest first. */
export async function listIgnores(db: Db): Promise<IgnoreRule[]> {
  const quiet = sql`select count(*) from finding
    where finding.ignore_id = finding_ignore.id and finding.status = 'ignored'`;
  return tables(db)
    .selectFrom("finding_ignore")
    .selectAll()
    .select(sql<number>`(${quiet})`.as("findings"))
    .orderBy("id", "desc")
    .execute();
}

/** An ignore rule by its ID; null if it was deleted. */
export async function findIgnore(db: Db, id: number): Promise<IgnoreRow | null> {
  const query = tables(db).selectFrom("finding_ignore").selectAll().where("id", "=", id);
  return (await query.executeTakeFirst()) ?? null;
}

/** Deletes an ignore rule; its findings stay as they are. */
export async function deleteIgnore(trx: Db, id: number): Promise<void> {
  await tables(trx).deleteFrom("finding_ignore").where("id", "=", id).execute();
}

/** The newest ignore rule's ID; 0 if there is none. */
export async function findLatestIgnoreId(db: Db): Promise<number> {
  const { id } = await tables(db)
    .selectFrom("finding_ignore")
    .select(({ fn }) => fn.max<number | null>("id").as("id"))
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

/** One finding, those of a check (on one page), or all. */
interface IgnoreScope {
  findingId?: number;
  check?: string;
  pageUrl?: string | null;
}

/**
 * Ignores the open findings of a scope that aren't exempt; returns their number. A scope of one page
 * contains only what is nowhere else.
 */
export async function ignoreOpen(
  trx: Db,
  ignoreId: number,
  { findingId, check, pageUrl = null }: IgnoreScope,
): Promise<number> {
  let query = tables(trx)
    .updateTable("finding")
    .set({ status: "ignored", ignore_id: ignoreId })
    .where("status", "=", "open")
    .where("exempt", "<", ignoreId);
  if (findingId !== undefined) query = query.where("id", "=", findingId);
  if (check !== undefined) query = query.where("check_id", "=", check);
  if (pageUrl !== null) query = query.where("page_url", "=", pageUrl).where("page_count", "=", 1);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** Replaces older equal rules; returns the number of findings taken over. */
export async function replaceRule(
  trx: Db,
  ignoreId: number,
  { check, pageUrl }: { check: string; pageUrl: string | null },
): Promise<number> {
  const same = ({ and, eb }: ExpressionBuilder<FindingTables, "finding_ignore">) =>
    and([
      eb("kind", "=", "rule"),
      eb("check_id", "=", check),
      pageUrl === null ? eb("page_url", "is", null) : eb("page_url", "=", pageUrl),
      eb("id", "<", ignoreId),
    ]);
  const older = tables(trx).selectFrom("finding_ignore").select("id").where(same);
  const taken = await tables(trx)
    .updateTable("finding")
    .set({ ignore_id: ignoreId })
    .where("status", "=", "ignored")
    .where("ignore_id", "in", older)
    .executeTakeFirst();
  await tables(trx).deleteFrom("finding_ignore").where(same).execute();
  return Number(taken.numUpdatedRows);
}

/**
 * Ends the ignoring of one finding, or of all that a rule hides; those that are gone become fixed.
 */
export async function endIgnore(
  trx: Db,
  { findingId, ignoreId }: { findingId?: number; ignoreId?: number },
  exempt?: number,
): Promise<{ opened: number; fixed: number }> {
  const into = async (status: "open" | "fixed") => {
    let query = tables(trx)
      .updateTable("finding")
      .set({ status, ignore_id: null, ...(exempt !== undefined && { exempt }) })
      .where("status", "=", "ignored")
      .where("fixed_at", status === "open" ? "is" : "is not", null);
    if (findingId !== undefined) query = query.where("id", "=", findingId);
    if (ignoreId !== undefined) query = query.where("ignore_id", "=", ignoreId);
    return Number((await query.executeTakeFirst()).numUpdatedRows);
  };
  return { opened: await into("open"), fixed: await into("fixed") };
}

/** Opens findings again that a rule for one page hides, but that are on other pages by now. */
async function endOutgrownIgnores(trx: Db): Promise<void> {
  const rules = await tables(trx)
    .selectFrom("finding_ignore")
    .select(["id", "page_url"])
    .where("kind", "=", "rule")
    .where("page_url", "is not", null)
    .execute();
  for (const { id, page_url } of rules) {
    await tables(trx)
      .updateTable("finding")
      .set({ status: "open", ignore_id: null })
      .where("status", "=", "ignored")
      .where("ignore_id", "=", id)
      .where("fixed_at", "is", null)
      .where(({ or, eb }) => or([eb("page_url", "<>", page_url ?? ""), eb("page_count", ">", 1)]))
      .execute();
  }
}

/**
 * Applies every rule to the open findings that it matches, after opening those that it no longer
 * does; returns the number of findings that it ignores.
 */
export async function applyIgnoreRules(trx: Db): Promise<number> {
  await endOutgrownIgnores(trx);
  const rules = await tables(trx)
    .selectFrom("finding_ignore")
    .select(["id", "check_id", "page_url"])
    .where("kind", "=", "rule")
    .orderBy("id")
    .execute();
  let ignored = 0;
  for (const { id, check_id, page_url } of rules) {
    if (check_id !== null) {
      ignored += await ignoreOpen(trx, id, { check: check_id, pageUrl: page_url });
    }
  }
  return ignored;
}

/** Ends ignoring that was limited to `at` (ISO 8601) or earlier. */
export async function endExpiredIgnores(trx: Db, at: string): Promise<void> {
  const over = await tables(trx)
    .selectFrom("finding_ignore")
    .select("id")
    .where("expires_at", "<=", at)
    .execute();
  for (const { id } of over) {
    await endIgnore(trx, { ignoreId: id });
    await deleteIgnore(trx, id);
  }
}
