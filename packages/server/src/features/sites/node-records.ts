import { randomUUID } from "node:crypto";
import { AppError } from "../../kit/errors.ts";
import { newUlid } from "../../kit/ulid.ts";
import { isoTime } from "../../kit/time.ts";
import { openAdvisoryLock } from "../../platform/db/advisory-lock.ts";
import type { Database, Db } from "../../platform/db/connect.ts";
import { removedSchema, siteSchema } from "../../platform/db/schema-address.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import type { Sealed } from "../../platform/secrets.ts";
import * as store from "./copy-store.ts";
import { isReservedBy, lockRegistry } from "./store.ts";

/** What a node needs to have a site in a folder of its own. */
export interface SiteCopy {
  /** Another one for each site that has this name. */
  incarnation: string;
  /** The text of vitrine.json. */
  settings: string;
  version: number;
  /** The site's keys, encrypted. */
  keys: Sealed;
}

/** A removed site whose objects are still in the object store. */
export interface SiteRemoval {
  siteId: string;
  schema: string;
}

/** What the nodes of an installation know of its further sites together. */
export interface NodeRecords {
  /** A lock between all nodes. */
  lock(name: string, local: ProcessLock): ProcessLock;
  /**
   * Begins a site with a new incarnation, which it returns. Throws `conflict` if a reservation is given and
   * the site isn't of this one any more.
   */
  begin(id: string, reservation?: string | null): Promise<string>;
  /** Stores what other nodes need. Throws `conflict` if another command has begun the site again. */
  complete(id: string, copy: Omit<SiteCopy, "version">): Promise<void>;
  /** The same for a site that was there before nodes shared anything; false if it is known already. */
  adopt(id: string, copy: Omit<SiteCopy, "version">): Promise<boolean>;
  /** Null for a site that isn't complete, or that no node has shared yet. */
  find(id: string): Promise<SiteCopy | null>;
  /** The sites that all nodes can have. */
  listShared(): Promise<string[]>;
  /** Replaces settings and keys. Throws `conflict` if they aren't of this version any more. */
  change(id: string, copy: SiteCopy): Promise<void>;
  /** Encrypts keys again with `reseal` that aren't encrypted with this key; null leaves one as it is. */
  reseal(
    keyId: string,
    reseal: (site: { id: string; incarnation: string; keys: Sealed }) => Promise<Sealed | null>,
  ): Promise<void>;
  /** Notes that a node has processes of a site, for `leaseMs` unless it is noted again. */
  noteAwake(id: string, node: string, leaseMs: number): Promise<void>;
  /** Notes that a node has none, of this site or of any. */
  forgetAwake(node: string, id?: string): Promise<void>;
  listAwake(): Promise<{ siteId: string; node: string }[]>;
  /**
   * Forgets what nodes need of a site, and leaves its records and its objects to be removed. Throws
   * `conflict` as `begin` does; null is the reservation of a name that was free.
   */
  discard(id: string, reservation?: string | null): Promise<void>;
  /** Forgets what nodes need of a site, which is in the folder of one node from then on. */
  forget(id: string): Promise<void>;
  listRemovals(): Promise<SiteRemoval[]>;
  finishRemoval(removal: SiteRemoval): Promise<void>;
}

const resealPage = 500;
const maxRemovals = 20;

/** Throws `conflict` if another command has reserved the name, or finished the site. */
export async function assertReservedBy(
  db: Db,
  id: string,
  reservation: string | null | undefined,
): Promise<void> {
  if (reservation === undefined || (await isReservedBy(db, id, reservation))) return;
  throw new AppError("conflict", `Another command has taken over the site “${id}”.`);
}

function toCopy(row: store.CopyRow | null): SiteCopy | null {
  const { incarnation, settings, sealed_keys: ciphertext, key_id: keyId } = row ?? {};
  if (!row || !incarnation || !settings || !ciphertext || !keyId) return null;
  return { incarnation, settings, version: row.version, keys: { keyId, ciphertext } };
}

function toRow(id: string, { incarnation, settings, keys }: Omit<SiteCopy, "version">) {
  const { ciphertext, keyId } = keys;
  return { site_id: id, incarnation, settings, sealed_keys: ciphertext, key_id: keyId };
}

type SharedRecords = Pick<Database, "db" | "dialect">;

/** A command whose lock was lost changes nothing of the one that works on the site now. */
function whileReserved(
  { db, dialect }: SharedRecords,
  { id, reservation }: { id: string; reservation: string | null | undefined },
  work: (transaction: Db) => Promise<void>,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await lockRegistry(transaction, dialect);
    await assertReservedBy(transaction, id, reservation);
    await work(transaction);
  });
}

/** Opens what nodes share in the registry. */
export function makeNodeRecords(database: SharedRecords, clock: { now(): number }): NodeRecords {
  const { db } = database;
  return {
    lock: (name, local) => openAdvisoryLock(db, name, local),
    async begin(id, reservation) {
      const incarnation = randomUUID();
      const nothing = { settings: null, sealed_keys: null, key_id: null };
      await whileReserved(database, { id, reservation }, (transaction) =>
        store.putCopy(transaction, { site_id: id, incarnation, version: 1, ...nothing }),
      );
      return incarnation;
    },
    async complete(id, copy) {
      if (await store.completeCopy(db, toRow(id, copy))) return;
      throw new AppError("conflict", `Another command has begun to create the site “${id}”.`);
    },
    adopt: (id, copy) => store.insertCopy(db, { ...toRow(id, copy), version: 1 }),
    find: async (id) => toCopy(await store.findCopy(db, id)),
    listShared: () => store.listComplete(db),
    async change(id, { version, ...copy }) {
      if (await store.updateCopy(db, toRow(id, copy), version)) return;
      const message = `The settings of the site “${id}” have just been changed on another node. Try again.`;
      throw new AppError("conflict", message);
    },
    async reseal(keyId, reseal) {
      let after: string | undefined = "";
      while (after !== undefined) {
        const page = await store.listSealedWithOther(db, { keyId, after, limit: resealPage });
        for (const row of page) {
          const copy = toCopy(row);
          const sealed = copy && (await reseal({ id: row.site_id, ...copy }));
          if (sealed) await store.replaceSealed(db, row, sealed);
        }
        after = page.at(-1)?.site_id;
      }
    },
    noteAwake: (siteId, node, leaseMs) => store.putAwake(db, { siteId, node, leaseMs }),
    forgetAwake: (node, id) => store.deleteAwake(db, node, id),
    listAwake: () => store.listAwake(db),
    async discard(id, reservation) {
      const now = clock.now();
      const as = removedSchema(newUlid(now));
      await whileReserved(database, { id, reservation }, async (transaction) => {
        const renamed = { schema: siteSchema(id), siteId: id, as, now: isoTime(now) };
        await store.discardSchema(transaction, renamed);
        await store.deleteCopy(transaction, id);
      });
    },
    forget: (id) => store.deleteCopy(db, id),
    async listRemovals() {
      const rows = await store.listRemovals(db, maxRemovals);
      return rows.map((row) => ({ siteId: row.site_id, schema: row.schema_name }));
    },
    finishRemoval: ({ schema }) => store.finishRemoval(db, schema),
  };
}
