import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Sealed } from "../../platform/secrets.ts";

type SettingTable = {
  setting: {
    key: string;
    value: string | null;
    ciphertext: string | null;
    key_id: string | null;
    updated_at: string;
  };
};

/** A stored setting: its value, or its encrypted value. */
export type StoredSetting = { value: string; sealed: null } | { value: null; sealed: Sealed };

/** The stored setting with this name, or null. */
export async function findSetting(db: Db, key: string): Promise<StoredSetting | null> {
  const row = await db
    .withTables<SettingTable>()
    .selectFrom("setting")
    .select(["value", "ciphertext", "key_id"])
    .where("key", "=", key)
    .executeTakeFirst();
  if (!row) return null;
  if (row.ciphertext !== null && row.key_id !== null) {
    return { value: null, sealed: { keyId: row.key_id, ciphertext: row.ciphertext } };
  }
  return { value: row.value ?? "", sealed: null };
}

/** A text that differs once one of these settings was changed or deleted. */
export async function settingsMark(db: Db, keys: readonly string[]): Promise<string> {
  const rows = await db
    .withTables<SettingTable>()
    .selectFrom("setting")
    .select(["key", "value", "ciphertext", "updated_at"])
    .where("key", "in", keys)
    .orderBy("key")
    .execute();
  return sha256Hex(JSON.stringify(rows));
}

/** Inserts or replaces a setting. `at` is ISO 8601 UTC. */
export async function putSetting(
  db: Db,
  key: string,
  stored: StoredSetting,
  at: string,
): Promise<void> {
  const columns = {
    value: stored.value,
    ciphertext: stored.sealed?.ciphertext ?? null,
    key_id: stored.sealed?.keyId ?? null,
    updated_at: at,
  };
  await db
    .withTables<SettingTable>()
    .insertInto("setting")
    .values({ key, ...columns })
    .onConflict((conflict) => conflict.column("key").doUpdateSet(columns))
    .execute();
}

/** Changes an unencrypted setting if its value is still `before`; otherwise false. */
export async function replaceSetting(
  db: Db,
  key: string,
  { before, after, at }: { before: string; after: string; at: string },
): Promise<boolean> {
  const result = await db
    .withTables<SettingTable>()
    .updateTable("setting")
    .set({ value: after, updated_at: at })
    .where("key", "=", key)
    .where("value", "=", before)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Deletes a setting; false if there was none. */
export async function deleteSetting(db: Db, key: string): Promise<boolean> {
  const result = await db
    .withTables<SettingTable>()
    .deleteFrom("setting")
    .where("key", "=", key)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
