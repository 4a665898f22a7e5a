import { sql } from "kysely";
import { dialectOf } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { likeSiteSchemas, registrySchema } from "../../../platform/db/schema-address.ts";
import { sealContext } from "../../../platform/mailer/outbox.ts";
import type { Sealed } from "../../../platform/secrets.ts";

/** The location of an encrypted text, and the name it is bound to. */
export interface SealedLocation {
  table: "setting" | "outbox_email" | "publish_target";
  id: string | number;
  name: string;
}

interface SealedColumns {
  ciphertext: string | null;
  key_id: string | null;
}

/** The name that the secrets of publish targets are encrypted under. */
export const targetSealContext = "publish-target";

const sealedTables = ["setting", "outbox_email", "publish_target"] as const;

function tables(db: Db) {
  return db.withTables<{
    setting: SealedColumns & { key: string };
    outbox_email: SealedColumns & { id: number };
    publish_target: SealedColumns & { id: number };
    stored_backup: { key_id: string };
  }>();
}

/** The IDs of a table's rows with an encrypted text. */
async function listIds(db: Db, table: "outbox_email" | "publish_target"): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom(table)
    .select("id")
    .where("key_id", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** All encrypted texts: settings, unsent emails, and the secrets of publish targets. */
export async function listSealed(db: Db): Promise<SealedLocation[]> {
  const settings = await tables(db)
    .selectFrom("setting")
    .select("key")
    .where("key_id", "is not", null)
    .orderBy("key")
    .execute();
  const [emails, targets] = [
    await listIds(db, "outbox_email"),
    await listIds(db, "publish_target"),
  ];
  return [
    ...settings.map(({ key }) => ({ table: "setting" as const, id: key, name: key })),
    ...emails.map((id) => ({ table: "outbox_email" as const, id, name: sealContext })),
    ...targets.map((id) => ({ table: "publish_target" as const, id, name: targetSealContext })),
  ];
}

function readSealed(db: Db, { table, id }: SealedLocation): Promise<SealedColumns | undefined> {
  const columns = ["ciphertext", "key_id"] as const;
  if (table === "setting") {
    const rows = tables(db).selectFrom("setting").where("key", "=", String(id));
    return rows.select(columns).executeTakeFirst();
  }
  const rows = tables(db).selectFrom(table).where("id", "=", Number(id));
  return rows.select(columns).executeTakeFirst();
}

/** The encrypted text there now; null if there is none any more. */
export async function findSealed(db: Db, location: SealedLocation): Promise<Sealed | null> {
  const row = await readSealed(db, location);
  if (!row || row.ciphertext === null || row.key_id === null) return null;
  return { keyId: row.key_id, ciphertext: row.ciphertext };
}

/** Replaces an encrypted text if it is still `before`; otherwise false. */
export async function replaceSealed(
  db: Db,
  { table, id }: SealedLocation,
  { before, after }: { before: Sealed; after: Sealed },
): Promise<boolean> {
  const columns = { ciphertext: after.ciphertext, key_id: after.keyId };
  const { numUpdatedRows } =
    table === "setting"
      ? await tables(db)
          .updateTable("setting")
          .set(columns)
          .where("key", "=", String(id))
          .where("ciphertext", "=", before.ciphertext)
          .executeTakeFirst()
      : await tables(db)
          .updateTable(table)
          .set(columns)
          .where("id", "=", Number(id))
          .where("ciphertext", "=", before.ciphertext)
          .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

interface KeyCount {
  key_id: string | null;
  count: number;
}

/** The number of further sites whose keys are encrypted with each key, for the installation around them. */
async function countSites(db: Db): Promise<KeyCount[]> {
  if (dialectOf(db) === "sqlite") return [];
  const table = `${registrySchema}.site_copy`;
  const found = await sql<{ has_sites: boolean }>`
    select to_regclass(${table}) is not null and current_schema() not like ${likeSiteSchemas}
      as has_sites`.execute(db);
  if (!found.rows[0]?.has_sites) return [];
  const { rows } = await sql<KeyCount>`
    select key_id, count(*) as count from ${sql.table(table)}
    where key_id is not null group by key_id`.execute(db);
  return rows;
}

/**
 * The number of texts, of further sites' keys, and of backups in the object store, encrypted with each key.
 * Backups keep their key in a rotation: they can't be restored without it. Sites keep it until their nodes
 * have encrypted the keys again.
 */
export async function countByKey(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const found: KeyCount[] = await countSites(db);
  for (const table of [...sealedTables, "stored_backup"] as const) {
    const rows = await tables(db)
      .selectFrom(table)
      .select(({ fn }) => ["key_id", fn.countAll<number>().as("count")])
      .where("key_id", "is not", null)
      .groupBy("key_id")
      .execute();
    found.push(...rows);
  }
  for (const { key_id: keyId, count } of found) {
    if (keyId !== null) counts.set(keyId, (counts.get(keyId) ?? 0) + Number(count));
  }
  return counts;
}
