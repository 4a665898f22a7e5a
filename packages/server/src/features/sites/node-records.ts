import { randomUUID } from "node:crypto";
import { AppError } from "../../kit/errors.ts";
import { newUlid } from "../../kit/ulid.ts";
import { isoTime } from "../../kit/time.ts";
import { openAdvisoryLock } from "../../platform/db/advisory-lock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removedSchema, siteSchema } from "../../platform/db/schema-address.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import type { Sealed } from "../../platform/secrets.ts";
import * as store from "./copy-store.ts";

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
  /** Begins a site with a new incarnation, which it returns. */
  begin(id: string): Promise<string>;
  /** Stores what other nodes need. Throws `conflict` if another command has begun the site again. */
  complete(id: string, copy: Omit<SiteCopy, "version">): Promise<void>;
  /** The same for a site that was there before nodes shared anything; false if it is known already. */
  adopt(id: string, copy: Omit<SiteCopy, "version">): Promise<boolean>;
  /** Null for a site that isn't complete, or that no node has shared yet. */
  find(id: string): Promise<SiteCopy | null>;
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
  /** Forgets what nodes need of a site, and leaves its records and its objects to be removed. */
  discard(id: string): Promise<void>;
  listRemovals(): Promise<SiteRemoval[]>;
  finishRemoval(removal: SiteRemoval): Promise<void>;
}

const resealPage = 500;
const maxRemovals = 20;

function toCopy(row: store.CopyRow | null): SiteCopy | null {
  const { incarnation, settings, sealed_keys: ciphertext, key_id: keyId } = row ?? {};
  if (!row || !incarnation || !settings || !ciphertext || !keyId) return null;
  return { incarnation, settings, version: row.version, keys: { keyId, ciphertext } };
}

function toRow(id: string, { incarnation, settings, keys }: Omit<SiteCopy, "version">) {
  const { ciphertext, keyId } = keys;
  return { site_id: id, incarnation, settings, sealed_keys: ciphertext, key_id: keyId };
}

/** Opens what nodes share in the registry. */
export function makeNodeRecords(db: Db, clock: { now(): number }): NodeRecords {
  return {
    lock: (name, local) => openAdvisoryLock(db, name, local),
    async begin(id) {
      const incarnation = randomUUID();
      const nothing = { settings: null, sealed_keys: null, key_id: null };
      await store.putCopy(db, { site_id: id, incarnation, version: 1, ...nothing });
      return incarnation;
    },
    async complete(id, copy) {
      if (await store.completeCopy(db, toRow(id, copy))) return;
      throw new AppError("conflict", `Another command has begun to create the site “${id}”.`);
    },
    adopt: (id, copy) => store.insertCopy(db, { ...toRow(id, copy), version: 1 }),
    find: async (id) => toCopy(await store.findCopy(db, id)),
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
    async discard(id) {
      const now = clock.now();
      const as = removedSchema(newUlid(now));
      await db.transaction().execute(async (transaction) => {
        const renamed = { schema: siteSchema(id), siteId: id, as, now: isoTime(now) };
        await store.discardSchema(transaction, renamed);
        await store.deleteCopy(transaction, id);
      });
    },
    async listRemovals() {
      const rows = await store.listRemovals(db, maxRemovals);
      return rows.map((row) => ({ siteId: row.site_id, schema: row.schema_name }));
    },
    finishRemoval: ({ schema }) => store.finishRemoval(db, schema),
  };
}
