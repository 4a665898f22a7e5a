import type { Generated, Selectable } from "kysely";
import { sql } from "kysely";
import type { Db, Dialect } from "../../platform/db/connect.ts";
import { databaseTime } from "../../platform/db/clock.ts";
import { notifyNodes } from "../../platform/db/notifications.ts";

/** `creating`: reserved until it is installed. `suspended`: not served, and nothing of it runs. */
export const siteStatuses = ["creating", "active", "suspended"] as const;
export type SiteStatus = (typeof siteStatuses)[number];

interface SiteTable {
  id: string;
  status: SiteStatus;
  base_url: string;
  /** The installation that it was moved to. */
  moved_to: string | null;
  /** When it has something to do; null: when somebody asks for it. */
  wake_at: string | null;
  created_at: string;
  changed_at: string;
  /** Of the command that creates it; null once it is finished. */
  reservation: string | null;
}

export type SiteRow = Selectable<SiteTable>;

type Tables = {
  site: SiteTable;
  site_domain: { domain: string; site_id: string; created_at: string };
  site_change: { id: Generated<number>; site_id: string; domains: string };
  site_awake: { site_id: string; until: string };
};

const tables = (db: Db) => db.withTables<Tables>();

/** An arbitrary number: changes have to be committed in the order of their ids. */
const changeLock = 2_026_112_901;
/** How many changes are kept for processes that were away. */
const keptChanges = 10_000;

/** A change of a site, with all domains that it has or had. */
export interface SiteChange {
  id: number;
  siteId: string;
  domains: string[];
}

/** Before a transaction reads what it changes: one after the other. */
export async function lockRegistry(db: Db, dialect: Dialect): Promise<void> {
  // SQLite has one writer at a time.
  if (dialect === "postgres") await sql`select pg_advisory_xact_lock(${changeLock})`.execute(db);
}

export async function findSite(db: Db, id: string): Promise<SiteRow | null> {
  const query = tables(db).selectFrom("site").selectAll().where("id", "=", id);
  return (await query.executeTakeFirst()) ?? null;
}

/**
 * Whether nobody has taken over what the command with this reservation makes; null: that of a name that
 * was free.
 */
export async function isReservedBy(
  db: Db,
  id: string,
  reservation: string | null,
): Promise<boolean> {
  const site = await findSite(db, id);
  if (site === null) return reservation === null;
  if (site.status === "active" || site.reservation !== reservation) return false;
  // A suspended one is being removed by the command with this reservation.
  return site.status === "creating" || reservation !== null;
}

export async function findSiteByDomain(db: Db, domain: string): Promise<SiteRow | null> {
  const query = tables(db)
    .selectFrom("site_domain")
    .innerJoin("site", "site.id", "site_domain.site_id")
    .selectAll("site")
    .where("domain", "=", domain);
  return (await query.executeTakeFirst()) ?? null;
}

export async function listSites(db: Db): Promise<SiteRow[]> {
  return tables(db).selectFrom("site").selectAll().orderBy("id").execute();
}

/** What a list of sites can be narrowed to. */
export interface SiteFilter {
  /** A part of the name or of a domain; empty for all. */
  q: string;
  status?: SiteStatus | undefined;
}

function matchingSites(db: Db, { q, status }: SiteFilter) {
  const pattern = `%${q.toLowerCase().replaceAll(/[!%_]/g, "!$&")}%`;
  // One query for all domains takes less time than one for each site.
  const hasDomain = sql<boolean>`site.id in (select site_id from site_domain where domain like ${pattern} escape '!')`;
  return tables(db)
    .selectFrom("site")
    .$if(status !== undefined, (query) => query.where("status", "=", status as SiteStatus))
    .$if(q !== "", (query) =>
      query.where(({ or }) => or([sql<boolean>`site.id like ${pattern} escape '!'`, hasDomain])),
    );
}

/** A page of the sites that match, by name, with how many domains each has; and how many match. */
export async function listSitePage(
  db: Db,
  { page, perPage, ...filter }: SiteFilter & { page: number; perPage: number },
): Promise<{ rows: (SiteRow & { domain_count: number })[]; total: number }> {
  const rows = await matchingSites(db, filter)
    .selectAll("site")
    .select(({ selectFrom }) =>
      selectFrom("site_domain")
        .whereRef("site_domain.site_id", "=", "site.id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .as("domain_count"),
    )
    .orderBy("site.id")
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  const { count } = await matchingSites(db, filter)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const counted = rows.map((row) => Object.assign(row, { domain_count: Number(row.domain_count) }));
  return { rows: counted, total: Number(count) };
}

/** How many sites there are, by their status. */
export async function countSites(db: Db): Promise<{ status: SiteStatus; count: number }[]> {
  const rows = await tables(db)
    .selectFrom("site")
    .select(["status", ({ fn }) => fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  return rows.map(({ status, count }) => ({ status, count: Number(count) }));
}

/** The domains of one site, or of all. */
export async function listDomains(
  db: Db,
  siteId?: string,
): Promise<{ domain: string; siteId: string }[]> {
  let query = tables(db).selectFrom("site_domain").select(["domain", "site_id as siteId"]);
  if (siteId !== undefined) query = query.where("site_id", "=", siteId);
  return query.orderBy("created_at").orderBy("domain").execute();
}

/** False if there is one with this id. */
export async function insertSite(db: Db, site: SiteRow): Promise<boolean> {
  const result = await tables(db)
    .insertInto("site")
    .values(site)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** False if the domain is a site's already. */
export async function insertDomain(
  db: Db,
  row: { domain: string; site_id: string; created_at: string },
): Promise<boolean> {
  const result = await tables(db)
    .insertInto("site_domain")
    .values(row)
    .onConflict((conflict) => conflict.column("domain").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function updateSite(
  db: Db,
  id: string,
  changes: Partial<Omit<SiteRow, "id" | "created_at">>,
): Promise<void> {
  await tables(db).updateTable("site").set(changes).where("id", "=", id).execute();
}

export async function deleteDomain(db: Db, domain: string): Promise<void> {
  await tables(db).deleteFrom("site_domain").where("domain", "=", domain).execute();
}

export async function deleteSite(db: Db, id: string): Promise<void> {
  await tables(db).deleteFrom("site_domain").where("site_id", "=", id).execute();
  await tables(db).deleteFrom("site").where("id", "=", id).execute();
}

/** Has an active site woken at this time, if it isn't due sooner. */
export async function updateWakeTime(db: Db, id: string, at: string): Promise<void> {
  await tables(db)
    .updateTable("site")
    .set({ wake_at: at })
    .where("id", "=", id)
    .where(({ eb, or }) => or([eb("wake_at", "is", null), eb("wake_at", ">", at)]))
    .execute();
}

/**
 * Takes up to `limit` sites that are due and that no node has awake: of several callers, each gets others.
 * They are due again at `lease`, unless another time is noted until then.
 */
export async function takeDueSites(
  db: Db,
  { now, lease, limit }: { now: string; lease: string; limit: number },
): Promise<string[]> {
  const due = await tables(db)
    .selectFrom("site")
    .select("id")
    .where("wake_at", "<=", now)
    .where("status", "=", "active")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("site_awake")
            .select(sql`1`.as("one"))
            .whereRef("site_awake.site_id", "=", "site.id")
            .where("until", ">", databaseTime(db)),
        ),
      ),
    )
    .orderBy("wake_at")
    .limit(limit)
    .execute();
  const taken: string[] = [];
  for (const { id } of due) {
    const result = await tables(db)
      .updateTable("site")
      .set({ wake_at: lease })
      .where("id", "=", id)
      .where("wake_at", "<=", now)
      .executeTakeFirst();
    if (Number(result.numUpdatedRows) === 1) taken.push(id);
  }
  return taken;
}

/** Records a change, in the transaction that makes it, and announces it. */
export async function insertChange(
  db: Db,
  dialect: Dialect,
  { siteId, domains }: Omit<SiteChange, "id">,
): Promise<void> {
  const { id } = await tables(db)
    .insertInto("site_change")
    .values({ site_id: siteId, domains: JSON.stringify(domains) })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tables(db)
    .deleteFrom("site_change")
    .where("id", "<=", id - keptChanges)
    .execute();
  if (dialect === "postgres") await notifyNodes(db, String(id));
}

/** The number of the newest change; 0 before the first. */
export async function findLastChange(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("site_change")
    .select(({ fn }) => fn.max("id").as("id"))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** The changes after one; null if some of them aren't kept any more. */
export async function listChangesAfter(db: Db, id: number): Promise<SiteChange[] | null> {
  const rows = await tables(db)
    .selectFrom("site_change")
    .selectAll()
    .where("id", ">", id)
    .orderBy("id")
    .execute();
  if (rows.length > 0 && Number(rows[0]?.id) > id + 1 && rows.length >= keptChanges) return null;
  return rows.map((row) => ({
    id: Number(row.id),
    siteId: row.site_id,
    domains: JSON.parse(row.domains) as string[],
  }));
}
