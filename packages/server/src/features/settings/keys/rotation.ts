import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import { openAdvisoryLock } from "../../../platform/db/advisory-lock.ts";
import { dialectOf } from "../../../platform/db/clock.ts";
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
 * How long an unused key is kept, in ms: a transaction that encrypted with it may still be running,
 * and a sign-in at a provider that started with it may still return.
 */
export const keyRetentionMs = 15 * 60_000;

/** Maximum rounds of looking for texts that other processes have encrypted in the meantime. */
const maxRounds = 5;

/** Where a rotation reads and replaces the keys. */
export interface KeyringStore {
  read(): Promise<StoredKeyring>;
  /** Throws `conflict` if the keys were replaced since they were read. */
  write(ring: StoredKeyring): Promise<void>;
}

export interface RotationDependencies {
  db: Db;
  /** The folder of the key files. */
  keysDir: string;
  /** Defaults to settings.key in that folder. */
  keyring?: KeyringStore;
  /** The lock file that allows one rotation at a time. */
  lockFile: string;
  now: number;
  /** Called at each step, for tests that kill the process there. */
  onStep?(step: string): void;
}

/** A key that is no longer used for encryption. */
export interface RetiredKey {
  id: string;
  /** The number of texts encrypted with it. */
  sealed: number;
  /** When it can be deleted if nothing is encrypted with it, ISO 8601 UTC. */
  droppableAt: string;
}

export interface RotationResult {
  keyId: string;
  /** The number of texts encrypted again. */
  resealed: number;
  retired: RetiredKey[];
  dropped: string[];
}

/** Runs what replaces keys, one at a time: in PostgreSQL, of all nodes. */
async function withRotationLock<T>(
  { db, keysDir, keyring, lockFile }: RotationDependencies,
  work: (keyring: KeyringStore) => Promise<T>,
): Promise<T> {
  const local = openLock(lockFile);
  const lock = dialectOf(db) === "postgres" ? openAdvisoryLock(db, "settings-key", local) : local;
  const inFile = {
    read: async () => readKeyring(keysDir),
    write: (ring: StoredKeyring) => writeKeyring(keysDir, ring),
  };
  try {
    return await lock.run(() => work(keyring ?? inFile));
  } finally {
    lock.close();
  }
}

/**
 * Decrypts everything once. Throws `unavailable` with the names of texts that can't be decrypted.
 */
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
    const message = `Email ${id}, which hasn't been sent, can't be decrypted: settings.key isn't the key that encrypted it. Restore the key file.`;
    throw new AppError("unavailable", message, { cause });
  }
}

/**
 * Encrypts everything that uses a different key with the active one. Returns the number of texts.
 */
async function resealAll(deps: RotationDependencies, ring: Keyring): Promise<number> {
  let count = 0;
  for (const location of await listSealed(deps.db)) {
    const before = await findSealed(deps.db, location);
    if (!before || before.keyId === ring.active) continue;
    const after = seal(ring, location.name, open(ring, location, before));
    // The text has changed: whoever changed it used the new key, or the next round finds it.
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

/** The keyring without old keys that are unused and old enough. */
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
 * Creates a key, encrypts everything with it, and keeps the old one, which running processes may
 * still use for a moment. If it is killed at any point, everything can be decrypted, and the next
 * rotation does the rest. Throws `unavailable`, before changing anything, if a key or a text is
 * damaged, `locked` during another rotation.
 */
export function rotateSettingsKey(deps: RotationDependencies): Promise<RotationResult> {
  return withRotationLock(deps, async (keyring) => {
    const former = await keyring.read();
    await assertOpens(deps, former);
    deps.onStep?.("everything opens");
    const { ring: used, dropped } = await withoutUnused(deps, former);
    const ring = withNextKey(used, deps.now);
    await keyring.write(ring);
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

/** Deletes old keys that are unused and old enough. Throws the errors of the rotation. */
export function dropOldKeys(deps: RotationDependencies): Promise<Omit<RotationResult, "resealed">> {
  return withRotationLock(deps, async (keyring) => {
    const former = await keyring.read();
    await assertOpens(deps, former);
    const { ring, dropped } = await withoutUnused(deps, former);
    if (dropped.length > 0) await keyring.write(ring);
    return { keyId: ring.active, retired: await oldKeys(deps, ring), dropped };
  });
}
