import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Scope, Severity } from "vitrine-qa/src/finding.ts";
import type { Counts, FindingStatus } from "../schema.ts";
import { details, type FindingDetail, tables } from "./store.ts";

/** A filter for findings; missing fields don't restrict it. */
export interface FindingFilter {
  /** Any of these; none means any status. */
  status?: readonly FindingStatus[] | undefined;
  severity?: Severity | undefined;
  category?: string | undefined;
  check?: string | undefined;
  scope?: Scope | undefined;
  /** One of the pages where it occurs; of more than 50 places, the first ones count. */
  pageUrl?: string | undefined;
  /** Only findings involved in this stored run. */
  runId?: number | undefined;
  /** Words that must all occur in the message, the page, or the target. */
  q?: string | undefined;
}

export interface FindingListQuery extends FindingFilter {
  sort?: "weight" | "newest" | "oldest" | "lastSeen" | undefined;
  page: number;
  perPage: number;
}

const rank = sql<number>`case severity when 'error' then 0 when 'warning' then 1 else 2 end`;
const confidenceRank = sql<number>`case confidence when 'confirmed' then 0 when 'likely' then 1 else 2 end`;

const orders = {
  weight: sql`critical desc, ${rank}, ${confidenceRank}, page_count desc, finding.id`,
  newest: sql`first_seen_at desc, finding.id desc`,
  oldest: sql`first_seen_at, finding.id`,
  lastSeen: sql`last_seen_at desc, finding.id desc`,
} as const;

/** Text that `like … escape '!'` takes literally. */
const likePattern = (text: string): string => text.replaceAll(/[!%_]/g, "!$&");

function matching(db: Db, filter: FindingFilter) {
  let query = tables(db).selectFrom("finding");
  const { status = [], runId } = filter;
  if (status.length > 0) query = query.where("finding.status", "in", status);
  if (filter.severity !== undefined) query = query.where("severity", "=", filter.severity);
  if (filter.category !== undefined) query = query.where("category", "=", filter.category);
  if (filter.check !== undefined) query = query.where("check_id", "=", filter.check);
  if (filter.scope !== undefined) query = query.where("scope", "=", filter.scope);
  const { pageUrl } = filter;
  if (pageUrl !== undefined) {
    // SQLite's `like` ignores case.
    const place = `"page":${JSON.stringify(pageUrl)},`;
    query = query.where(({ or, eb }) =>
      or([
        eb("page_url", "=", pageUrl),
        sql<boolean>`replace(occurrences, ${place}, '') <> occurrences`,
      ]),
    );
  }
  if (runId !== undefined) {
    const met = tables(db).selectFrom("finding_run").select("finding_id");
    query = query.where("finding.id", "in", met.where("run_id", "=", runId));
  }
  for (const word of (filter.q ?? "").split(/\s+/).filter(Boolean)) {
    const pattern = `%${likePattern(word)}%`;
    const text = sql<string>`lower(message || ' ' || page_url || ' ' || coalesce(target, ''))`;
    query = query.where(sql<boolean>`${text} like lower(${pattern}) escape '!'`);
  }
  return query;
}

/**
 * One page of findings and their total number; `weight` sorts the most important first. IDs are
 * selected first, because whole findings are long and slow to sort.
 */
export async function listFindings(
  db: Db,
  query: FindingListQuery,
): Promise<{ rows: FindingDetail[]; total: number }> {
  const order = orders[query.sort ?? "weight"];
  const base = matching(db, query);
  const counted = await base.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const page = await base
    .select("finding.id")
    .orderBy(order)
    .limit(query.perPage)
    .offset((query.page - 1) * query.perPage)
    .execute();
  const total = Number(counted.total);
  if (page.length === 0) return { rows: [], total };
  const ids = page.map(({ id }) => id);
  const rows = await details(db).where("finding.id", "in", ids).orderBy(order).execute();
  return { rows, total };
}

/** The findings of one check as one line. */
export interface FindingGroupRow {
  check: string;
  category: string;
  severity: Severity;
  critical: boolean;
  findings: number;
  /** The number of their pages, at least: of each finding the first one counts, of one all. */
  pages: number;
  /** Whether all of them may be fixed unattended. */
  isSafe: boolean;
  /** The most important message. */
  example: string;
}

const severities: readonly Severity[] = ["error", "warning", "notice"];

/** The findings grouped by check, most important first. */
export async function listFindingGroups(db: Db, filter: FindingFilter): Promise<FindingGroupRow[]> {
  const placed = matching(db, filter).select([
    "check_id",
    "category",
    "critical",
    "page_url",
    "page_count",
    "is_safe",
    "message",
    rank.as("weight"),
    sql<number>`row_number() over (partition by check_id order by ${orders.weight})`.as("place"),
  ]);
  const rows = await tables(db)
    .selectFrom(placed.as("placed"))
    .select([
      "check_id",
      sql<string>`min(category)`.as("category"),
      sql<number>`min(weight)`.as("weight"),
      sql<number>`max(critical)`.as("critical"),
      sql<number>`count(*)`.as("findings"),
      sql<number>`count(distinct page_url)`.as("pages"),
      sql<number>`max(page_count)`.as("most_pages"),
      sql<number>`min(is_safe)`.as("is_safe"),
      sql<string>`max(case when place = 1 then message end)`.as("example"),
    ])
    .groupBy("check_id")
    .orderBy(sql`max(critical) desc, min(weight), count(*) desc, check_id`)
    .execute();
  return rows.map((row) => ({
    check: row.check_id,
    category: row.category,
    severity: severities[Number(row.weight)] ?? "notice",
    critical: Number(row.critical) === 1,
    findings: Number(row.findings),
    pages: Math.max(Number(row.pages), Number(row.most_pages)),
    isSafe: Number(row.is_safe) === 1,
    example: row.example,
  }));
}

/** The number of findings by status, and of open ones by severity. */
export async function countFindings(
  db: Db,
): Promise<{ open: Counts; queued: number; ignored: number; fixed: number }> {
  const rows = await tables(db)
    .selectFrom("finding")
    .select(["status", "severity", sql<number>`count(*)`.as("number")])
    .groupBy(["status", "severity"])
    .execute();
  const open: Counts = { error: 0, warning: 0, notice: 0 };
  const others = { open: 0, queued: 0, ignored: 0, fixed: 0 };
  for (const { status, severity, number } of rows) {
    if (status === "open") open[severity] = Number(number);
    others[status] += Number(number);
  }
  return { ...others, open };
}

/** The categories with open findings, largest first. */
export async function listOpenCategories(db: Db): Promise<{ category: string; open: number }[]> {
  const rows = await tables(db)
    .selectFrom("finding")
    .select(["category", sql<number>`count(*)`.as("open")])
    .where("status", "=", "open")
    .groupBy("category")
    .orderBy(sql`count(*) desc, category`)
    .execute();
  return rows.map(({ category, open }) => ({ category, open: Number(open) }));
}
