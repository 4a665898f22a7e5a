import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { openLock } from "../../../platform/lock.ts";
import {
  type Keyring,
  nextKey,
  readKeyring,
  type Sealed,
  seal,
  type StoredKeyring,
  unseal,
  writeKeyring,
} from "../../../platform/secrets.ts";
import {
  countByKey,
  findSealed,
  replaceSealed,
  type SealedLocation,
  listSealed,
} from "./sealed-store.ts";

/**
 * For how long a key that seals nothing new is kept, in ms: a transaction may still be under way
 * that sealed with it, and a sign-in at a provider that began under it may still come back.
 */
export const keyRetentionMs = 15 * 60_000;

/** How often it is looked again for what other processes sealed meanwhile. */
const maxRounds = 5;

export interface RotationDependencies {
  db: Db;
  /** The folder of the key files. */
  keysDir: string;
  /** Where the lock is that lets one rotation work at a time. */
  lockFile: string;
  now: number;
  /** Told of each step, for tests that end the process there. */
  onStep?(step: string): void;
}

/** A key that seals nothing new. */
export interface RetiredKey {
  id: string;
  /** How many texts are sealed with it. */
  sealed: number;
  /** From when on it can be dropped if nothing is sealed with it, ISO 8601 UTC. */
  droppableAt: string;
}

export interface RotationResult {
  keyId: string;
  /** How many texts were sealed again. */
  resealed: number;
  retired: RetiredKey[];
  dropped: string[];
}

async function withRotationLock<T>(
  { lockFile }: RotationDependencies,
  work: () => Promise<T>,
): Promise<T> {
  const lock = openLock(lockFile);
  try {
    return await lock.run(work);
  } finally {
    lock.close();
  }
}

/** Opens everything once. Throws `unavailable`, naming what can't be opened. */
async function assertOpens({ db }: RotationDependencies, ring: Keyring): Promise<void> {
  for (const location of await listSealed(db)) {
    const sealed = await findSealed(db, location);
    if (sealed) open(ring, location, sealed);
  }
}

function open(ring: Keyring, { table, id, name }: SealedLocation, sealed: Sealed): string {
  try {
    return unseal(ring, name, sealed);
  } catch (cause) {
    if (table === "setting") throw cause;
    const message = `Mail ${id}, which has not left, can't be opened: settings.key is not the key that sealed it. Restore the key file.`;
    throw new AppError("unavailable", message, { cause });
  }
}

/** Seals under the active key what is sealed under another. Gives how many that were. */
async function resealAll(deps: RotationDependencies, ring: Keyring): Promise<number> {
  let count = 0;
  for (const location of await listSealed(deps.db)) {
    const before = await findSealed(deps.db, location);
    if (!before || before.keyId === ring.active) continue;
    const after = seal(ring, location.name, open(ring, location, before));
    // Another text is there by now: who put it knew the new key, or the next round takes it.
    if (!(await replaceSealed(deps.db, location, { before, after }))) continue;
    count += 1;
    deps.onStep?.("a text is sealed anew");
  }
  return count;
}

async function oldKeys(
  { db, now }: RotationDependencies,
  ring: StoredKeyring,
): Promise<RetiredKey[]> {
  const counts = await countByKey(db);
  return [...ring.keys.keys()]
    .filter((id) => id !== ring.active)
    .map((id) => {
      const retired = ring.retired[id];
      const from = retired === undefined ? now : Date.parse(retired) + keyRetentionMs;
      return { id, sealed: counts.get(id) ?? 0, droppableAt: isoTime(from) };
    });
}

/** The keyring without the old keys that nothing is sealed with and that are old enough. */
async function withoutUnused(
  deps: RotationDependencies,
  ring: StoredKeyring,
): Promise<{ ring: StoredKeyring; dropped: string[] }> {
  const old = await oldKeys(deps, ring);
  const dropped = old
    .filter(({ sealed, droppableAt }) => sealed === 0 && Date.parse(droppableAt) <= deps.now)
    .map(({ id }) => id);
  const keys = new Map([...ring.keys].filter(([id]) => !dropped.includes(id)));
  const retired = Object.fromEntries(Object.entries(ring.retired).filter(([id]) => keys.has(id)));
  return { ring: { active: ring.active, keys, retired }, dropped };
}

function withNextKey(ring: StoredKeyring, now: number): StoredKeyring {
  const { id, key } = nextKey(ring);
  return {
    active: id,
    keys: new Map([...ring.keys, [id, key]]),
    retired: { ...ring.retired, [ring.active]: isoTime(now) },
  };
}

/**
 * Makes a new key, seals everything anew under it and keeps the old one, which running processes may
 * still seal with for a moment. Ended at any point, everything opens and the next rotation does the
 * rest. Throws `unavailable` before anything is changed when a key or a text is not in order,
 * `locked` while another rotation works.
 */
export function rotateSettingsKey(deps: RotationDependencies): Promise<RotationResult> {
  return withRotationLock(deps, async () => {
    const former = readKeyring(deps.keysDir);
    await assertOpens(deps, former);
    deps.onStep?.("everything opens");
    const { ring: used, dropped } = await withoutUnused(deps, former);
    const ring = withNextKey(used, deps.now);
    await writeKeyring(deps.keysDir, ring);
    deps.onStep?.("the key is written");
    let resealed = 0;
    for (let round = 0; round < maxRounds; round += 1) {
      const count = await resealAll(deps, ring);
      resealed += count;
      if (count === 0) break;
    }
    deps.onStep?.("everything is sealed anew");
    return { keyId: ring.active, resealed, retired: await oldKeys(deps, ring), dropped };
  });
}

/** Drops the old keys that nothing is sealed with and that are old enough. Throws as the rotation. */
export function dropOldKeys(deps: RotationDependencies): Promise<Omit<RotationResult, "resealed">> {
  return withRotationLock(deps, async () => {
    const former = readKeyring(deps.keysDir);
    await assertOpens(deps, former);
    const { ring, dropped } = await withoutUnused(deps, former);
    if (dropped.length > 0) await writeKeyring(deps.keysDir, ring);
    return { keyId: ring.active, retired: await oldKeys(deps, ring), dropped };
  });
}
