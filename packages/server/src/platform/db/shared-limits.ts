import { createHmac } from "node:crypto";
import { type Generated, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../kit/clock.ts";
import { makeKeyedMutex } from "../../kit/keyed-mutex.ts";
import type { Allowance, AttemptLimit, OpenAttemptLimit } from "../throttle.ts";
import { databaseTime } from "./clock.ts";
import type { Db } from "./connect.ts";

type Tables = {
  stored_attempt: { id: Generated<number>; key_hash: string; expires_at: string };
};

const tables = (db: Db) => db.withTables<Tables>();

/** How long a refusal is repeated without asking the database, in ms, so that a flood costs little. */
const refusalMs = 5000;
const maxRefusals = 20_000;

/** The attempts that count now, oldest first, as ms until they no longer do. */
async function listCounting(db: Db, key: string): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("stored_attempt")
    .select(["expires_at", databaseTime(db).as("now")])
    .where("key_hash", "=", key)
    .where("expires_at", ">", databaseTime(db))
    .orderBy("expires_at")
    .execute();
  return rows.map((row) => Date.parse(row.expires_at) - Date.parse(row.now));
}

/** Has everybody else who counts attempts of this key wait until the transaction ends. */
async function lockKey(transaction: Db, key: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || ${key}, 0))`.execute(
    transaction,
  );
}

function allowance(left: readonly number[], limit: number, allowed: boolean): Allowance {
  const isFull = left.length >= limit;
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - left.length),
    retryAfterMs: isFull ? Math.max(0, left[left.length - limit] ?? 0) : 0,
    resetMs: Math.max(0, left.at(-1) ?? 0),
  };
}

/** Counts an attempt if its limit allows it. */
async function countAttempt(
  db: Db,
  { key, limit, windowMs }: { key: string; limit: number; windowMs: number },
): Promise<Allowance> {
  return db.transaction().execute(async (transaction) => {
    await lockKey(transaction, key);
    const left = await listCounting(transaction, key);
    if (left.length >= limit) return allowance(left, limit, false);
    await tables(transaction)
      .insertInto("stored_attempt")
      .values({ key_hash: key, expires_at: databaseTime(transaction, windowMs) })
      .execute();
    return allowance([...left, windowMs], limit, true);
  });
}

/** Of attempts that are taken back at once, each is another row. */
async function deleteNewest(db: Db, key: string): Promise<void> {
  await tables(db)
    .deleteFrom("stored_attempt")
    .where("id", "=", ({ selectFrom }) =>
      selectFrom("stored_attempt")
        .select("id")
        .where("key_hash", "=", key)
        .orderBy("expires_at", "desc")
        .orderBy("id", "desc")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

async function deleteAll(db: Db, key: string): Promise<void> {
  await tables(db).deleteFrom("stored_attempt").where("key_hash", "=", key).execute();
}

/** Removes the attempts that no longer count. */
export async function removeExpiredAttempts(db: Db): Promise<void> {
  await tables(db)
    .deleteFrom("stored_attempt")
    .where("expires_at", "<=", databaseTime(db))
    .execute();
}

/** Refusals of a moment ago. */
function makeRefusals(clock: Pick<Clock, "monotonic">) {
  // With `max`, it would take the memory of all keys from the start.
  const refusals = new LRUCache<string, { at: number; allowance: Allowance }>({
    maxSize: maxRefusals,
    sizeCalculation: () => 1,
  });
  return {
    /** The refusal as it is now; null if the database has to be asked. */
    find(key: string): Allowance | null {
      const found = refusals.get(key);
      if (found === undefined) return null;
      const passed = clock.monotonic() - found.at;
      const { retryAfterMs, resetMs } = found.allowance;
      if (passed > refusalMs || passed >= retryAfterMs) return null;
      const left = { retryAfterMs: retryAfterMs - passed, resetMs: resetMs - passed };
      return { ...found.allowance, ...left };
    },
    add: (key: string, refusal: Allowance) =>
      void refusals.set(key, { at: clock.monotonic(), allowance: refusal }),
    forget: (key: string) => void refusals.delete(key),
  };
}

/**
 * Limits that all nodes with this PostgreSQL database count together, by the database's clock. Keys,
 * which contain addresses, are stored as hashes under the instance's `secret`.
 */
export function openSharedLimits({
  db,
  clock,
  secret,
}: {
  db: Db;
  clock: Pick<Clock, "monotonic">;
  secret: string;
}): OpenAttemptLimit {
  const refusals = makeRefusals(clock);
  // A flood waits here for its first refusal, not in the database.
  const mutex = makeKeyedMutex();
  return ({ name, limit, windowMs }): AttemptLimit => {
    const hashOf = (key: string) =>
      createHmac("sha256", secret).update(`attempt\n${name}\n${key}`).digest("hex");

    async function take(key: string): Promise<Allowance> {
      const refusal = refusals.find(key);
      if (refusal !== null) return refusal;
      const counted = await countAttempt(db, { key, limit, windowMs });
      if (!counted.allowed) refusals.add(key, counted);
      return counted;
    }

    return {
      refusal: (given) => refusals.find(hashOf(given)),
      async take(given) {
        const key = hashOf(given);
        return refusals.find(key) ?? mutex.run(key, () => take(key));
      },
      async peek(given) {
        const key = hashOf(given);
        const refusal = refusals.find(key);
        if (refusal !== null) return refusal;
        const left = await listCounting(db, key);
        return allowance(left, limit, left.length < limit);
      },
      async refund(given) {
        refusals.forget(hashOf(given));
        await deleteNewest(db, hashOf(given));
      },
      async reset(given) {
        refusals.forget(hashOf(given));
        await deleteAll(db, hashOf(given));
      },
    };
  };
}
