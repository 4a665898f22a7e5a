import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { type Database, type Db, openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { inSchema, registrySchema } from "../../platform/db/schema-address.ts";
import { type InstancePaths, platformRoot } from "../../platform/paths.ts";
import { normalizeDomain } from "./domain.ts";
import { type JobRecords, makeJobRecords } from "./job-records.ts";
import { assertReservedBy, makeNodeRecords, type NodeRecords } from "./node-records.ts";
import { assertSiteId, nameTaken, noSuchSite } from "./site-name.ts";
import * as store from "./store.ts";

export interface Site {
  id: string;
  status: store.SiteStatus;
  /** The address that its pages name; its other domains lead there. */
  baseUrl: string;
  domains: string[];
  movedTo: string | null;
  wakeAt: string | null;
  createdAt: string;
  /** When its state or its settings last changed, domains apart. */
  changedAt: string;
}

/** A site in a list, without its domains, of which it may have many. */
export type SiteSummary = Omit<Site, "domains" | "wakeAt"> & { domainCount: number };

/** What decides how requests for a site are answered. */
export type SiteRoute = Pick<Site, "id" | "status" | "baseUrl" | "changedAt">;

/** The further sites of an installation. */
export interface SiteRegistry {
  /**
   * Reserves a name and a domain, also those of a site that isn't finished. The site isn't served before
   * `activate`.
   */
  reserve(site: {
    id: string;
    domain: string;
    baseUrl: string;
  }): Promise<Site & { reservation: string }>;
  /** The reservation of a site that isn't finished; null if the name is free. Throws `already_exists`. */
  findReservation(id: string): Promise<string | null>;
  /** Throws `conflict` if the site is of another reservation by now. */
  activate(id: string, reservation?: string | null): Promise<Site>;
  /** Ends the site's processes and answers 503 for it. */
  suspend(id: string, movedTo?: string): Promise<Site>;
  /** Ends a site and gives the reservation of its removal, which ends when the site is resumed. */
  beginRemoval(id: string): Promise<string>;
  resume(id: string): Promise<Site>;
  addDomain(id: string, domain: string): Promise<Site>;
  /** Throws `in_use` for the domain of its base URL. */
  removeDomain(id: string, domain: string): Promise<Site>;
  /** Has the site's processes start again, because their settings have changed. */
  restart(id: string): Promise<Site>;
  /** Notes the site's new address. */
  setBaseUrl(id: string, baseUrl: string): Promise<Site>;
  /** Throws `conflict` if a reservation is given and the site isn't of this one any more. */
  remove(id: string, reservation?: string | null): Promise<void>;
  /** Throws `not_found`. */
  get(id: string): Promise<Site>;
  list(): Promise<Site[]>;
  /** A page of the sites that match, by name. */
  search(
    query: store.SiteFilter & { page: number; perPage: number },
  ): Promise<{ items: SiteSummary[]; total: number }>;
  count(): Promise<Record<store.SiteStatus, number>>;
  findRoute(domain: string): Promise<SiteRoute | null>;
  findRouteById(id: string): Promise<SiteRoute | null>;
  /** Has an active site woken at `at`, ISO 8601, or sooner if it is due sooner. */
  wakeAt(id: string, at: string): Promise<void>;
  /** Has a site woken at this time instead of any other; null: when somebody asks for it. */
  setWakeTime(id: string, at: string | null): Promise<void>;
  /** Takes up to `limit` active sites that are due; they are due again after `leaseMs`. */
  takeDue(limit: number, leaseMs: number): Promise<string[]>;
  lastChange(): Promise<number>;
  changesAfter(id: number): Promise<store.SiteChange[] | null>;
  /** What several nodes share, in PostgreSQL. */
  nodes: NodeRecords;
  /** Creations and removals that the page of sites has started, on several nodes. */
  jobs: JobRecords;
  close(): Promise<void>;
}

export interface RegistryDependencies {
  paths: Pick<InstancePaths, "siteRegistry">;
  /** The address of the installation's own database; null: the registry is a SQLite file. */
  databaseUrl: string | null;
  clock: Pick<Clock, "now">;
  /** The host of the installation's own site, which no further site may have. */
  ownHost: string;
}

const schemaFolder = join(platformRoot, "packages/server/database/sites");

/** The address of the registry's database. */
export function registryAddress({
  paths,
  databaseUrl,
}: Pick<RegistryDependencies, "paths" | "databaseUrl">): { url: string | null; file: string } {
  const url = databaseUrl === null ? null : inSchema(databaseUrl, registrySchema);
  return { url, file: paths.siteRegistry };
}

async function openMigrated(deps: RegistryDependencies): Promise<Database> {
  const address = registryAddress(deps);
  const isNew = address.url === null && !existsSync(address.file);
  const database = openDatabase(address);
  try {
    if (isNew) await chmod(address.file, 0o600);
    await migrate({ database, now: deps.clock.now(), dir: schemaFolder });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function toSite(row: store.SiteRow, domains: string[]): Site {
  return {
    id: row.id,
    status: row.status,
    baseUrl: row.base_url,
    domains,
    movedTo: row.moved_to,
    wakeAt: row.wake_at,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function toSummary(row: store.SiteRow & { domain_count: number }): SiteSummary {
  const { domains: _domains, wakeAt: _wakeAt, ...site } = toSite(row, []);
  return { ...site, domainCount: row.domain_count };
}

function toRoute(row: store.SiteRow | null): SiteRoute | null {
  if (row === null) return null;
  return { id: row.id, status: row.status, baseUrl: row.base_url, changedAt: row.changed_at };
}

async function readSite(db: Db, id: string): Promise<Site> {
  const row = await store.findSite(db, id);
  if (row === null) throw noSuchSite(id);
  return toSite(
    row,
    (await store.listDomains(db, id)).map(({ domain }) => domain),
  );
}

async function claimDomain(
  db: Db,
  { domain, id, now }: { domain: string; id: string; now: string },
): Promise<void> {
  if (await store.insertDomain(db, { domain, site_id: id, created_at: now })) return;
  const owner = await store.findSiteByDomain(db, domain);
  if (owner?.id === id) return;
  const words = `belongs to the site “${owner?.id ?? "?"}”`;
  throw new AppError("already_exists", `${domain} ${words}.`, { fields: { domain: words } });
}

/** Opens the registry; creates and migrates it if necessary. The caller closes it. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one database, in short parts
export async function openSiteRegistry(deps: RegistryDependencies): Promise<SiteRegistry> {
  const { clock, ownHost } = deps;
  const database = await openMigrated(deps);
  const { db, dialect } = database;
  const now = () => isoTime(clock.now());

  /** One change of a site, announced with every domain that it has or had. */
  function change(id: string, work: (transaction: Db, before: Site | null) => Promise<void>) {
    return db.transaction().execute(async (transaction) => {
      await store.lockRegistry(transaction, dialect);
      const before = await readSite(transaction, id).catch(() => null);
      await work(transaction, before);
      const after = await readSite(transaction, id).catch(() => null);
      const domains = [...new Set([...(before?.domains ?? []), ...(after?.domains ?? [])])];
      await store.insertChange(transaction, dialect, { siteId: id, domains });
      return after;
    });
  }

  async function update(
    id: string,
    work: (transaction: Db, before: Site) => Promise<Parameters<typeof store.updateSite>[2] | null>,
  ): Promise<Site> {
    const after = await change(id, async (transaction, before) => {
      if (before === null) throw noSuchSite(id);
      const changes = await work(transaction, before);
      if (changes !== null) {
        await store.updateSite(transaction, id, { ...changes, changed_at: now() });
      }
    });
    if (after === null) throw noSuchSite(id);
    return after;
  }

  function ownDomain(text: string): string {
    const domain = normalizeDomain(text);
    if (domain !== ownHost) return domain;
    const words = "is the address of the installation's own site";
    throw new AppError("already_exists", `${domain} ${words}.`, { fields: { domain: words } });
  }

  return {
    async reserve({ id, domain: given, baseUrl }) {
      assertSiteId(id);
      const domain = ownDomain(given);
      const at = now();
      const reservation = randomUUID();
      const after = await change(id, async (transaction, before) => {
        if (before !== null && before.status !== "creating") {
          throw nameTaken(id);
        }
        const row = {
          id,
          status: "creating",
          base_url: baseUrl,
          created_at: at,
          reservation,
        } as const;
        const isNew = await store.insertSite(transaction, {
          ...row,
          moved_to: null,
          wake_at: null,
          changed_at: at,
        });
        // One that wasn't finished may get another domain.
        for (const old of before?.domains ?? []) await store.deleteDomain(transaction, old);
        const again = { base_url: baseUrl, changed_at: at, reservation };
        if (!isNew) await store.updateSite(transaction, id, again);
        await claimDomain(transaction, { domain, id, now: at });
      });
      return { ...(after ?? (await readSite(db, id))), reservation };
    },
    async findReservation(id) {
      const site = await store.findSite(db, id);
      if (site !== null && site.status !== "creating") throw nameTaken(id);
      return site?.reservation ?? null;
    },
    activate: (id, reservation) =>
      update(id, async (transaction) => {
        await assertReservedBy(transaction, id, reservation);
        return { status: "active", moved_to: null, reservation: null };
      }),
    suspend: (id, movedTo) =>
      update(id, async (_transaction, before) => {
        if (before.status === "creating") throw noSuchSite(id);
        return { status: "suspended", moved_to: movedTo ?? before.movedTo, wake_at: null };
      }),
    async beginRemoval(id) {
      const reservation = randomUUID();
      await update(id, async (_transaction, { status }) => ({
        status: status === "creating" ? status : "suspended",
        wake_at: null,
        reservation,
      }));
      return reservation;
    },
    resume: (id) =>
      update(id, async (_transaction, before) => {
        if (before.status === "creating") throw noSuchSite(id);
        // It may have missed something.
        return { status: "active", moved_to: null, wake_at: now(), reservation: null };
      }),
    addDomain: (id, given) =>
      update(id, async (transaction) => {
        await claimDomain(transaction, { domain: ownDomain(given), id, now: now() });
        return null;
      }),
    removeDomain: (id, given) =>
      update(id, async (transaction, before) => {
        const domain = normalizeDomain(given);
        if (!before.domains.includes(domain)) {
          const fields = { domain: "isn't a domain of this site" };
          const message = `${domain} isn't a domain of the site “${id}”.`;
          throw new AppError("not_found", message, { fields });
        }
        if (domain === new URL(before.baseUrl).hostname) {
          const message = `${domain} is the main domain of the site “${id}”. Choose another one first.`;
          const fields = { domain: "is the site's main domain" };
          throw new AppError("in_use", message, { fields });
        }
        await store.deleteDomain(transaction, domain);
        return null;
      }),
    restart: (id) => update(id, async () => ({})),
    setBaseUrl: (id, baseUrl) =>
      update(id, async (transaction) => {
        const domain = ownDomain(new URL(baseUrl).hostname);
        await claimDomain(transaction, { domain, id, now: now() });
        return { base_url: baseUrl, wake_at: now() };
      }),
    async remove(id, reservation) {
      await change(id, async (transaction, before) => {
        if (before === null) throw noSuchSite(id);
        await assertReservedBy(transaction, id, reservation);
        await store.deleteSite(transaction, id);
      });
    },
    get: (id) => readSite(db, id),
    async list() {
      const domains = Map.groupBy(await store.listDomains(db), ({ siteId }) => siteId);
      const rows = await store.listSites(db);
      return rows.map((row) =>
        toSite(
          row,
          (domains.get(row.id) ?? []).map(({ domain }) => domain),
        ),
      );
    },
    async search(query) {
      const { rows, total } = await store.listSitePage(db, query);
      return { items: rows.map(toSummary), total };
    },
    async count() {
      const counts = { creating: 0, active: 0, suspended: 0 };
      for (const { status, count } of await store.countSites(db)) counts[status] = count;
      return counts;
    },
    findRoute: async (domain) => toRoute(await store.findSiteByDomain(db, domain)),
    findRouteById: async (id) => toRoute(await store.findSite(db, id)),
    wakeAt: (id, at) => store.updateWakeTime(db, id, at),
    setWakeTime: (id, at) => store.updateSite(db, id, { wake_at: at }),
    takeDue: (limit, leaseMs) =>
      store.takeDueSites(db, { now: now(), lease: isoTime(clock.now() + leaseMs), limit }),
    lastChange: () => store.findLastChange(db),
    changesAfter: (id) => store.listChangesAfter(db, id),
    nodes: makeNodeRecords(database, clock),
    jobs: makeJobRecords(database),
    close: () => database.close(),
  };
}
