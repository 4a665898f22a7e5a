import { stat } from "node:fs/promises";
import type { Clock } from "../../kit/clock.ts";
import { makeSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { undefinedIfMissing } from "../../platform/files.ts";
import type { Log } from "../../platform/log.ts";
import { readSeedFile } from "./seed-file.ts";
import { type Seed, seedChangelog, seedMark } from "./seed.ts";
import { readSeedState, writeSeedState } from "./store.ts";

export interface ReseederOptions {
  db: Db;
  /** The content's database/changelog.json. */
  file: string;
  /** The author of entries that name nobody; read on every call. */
  ownerName: string;
  clock: Clock;
  log: Log;
  /** Called in the transaction that adds or removes seeded entries. */
  onChange(transaction: Db, reason: string): Promise<void>;
}

/** Keeps the seeded entries in sync with the seed file. */
export interface Reseeder {
  /**
   * Reads the file if it or the owner's name has changed since the last time; otherwise only stats
   * it. A malformed file changes nothing, and its error is stored. Calls run one at a time; a call
   * during another one runs after it.
   */
  reseedIfChanged(): Promise<{ changed: boolean }>;
  /** Why the last version of the file couldn't be used; null if it could. */
  state(): Promise<{ error: string | null }>;
}

/** Identifies a version of the file without reading it; null if there is no file. */
async function stampOf(file: string): Promise<string | null> {
  const found = await undefinedIfMissing(stat(file, { bigint: true }));
  return found === undefined
    ? null
    : [found.mtimeNs, found.ctimeNs, found.size, found.ino].join(" ");
}

/** Stored if there is no file. */
const missing = { sha256: "missing", error: "There is no database/changelog.json." };

/** Why a file can't be used; rethrows errors that aren't its fault. */
function reasonOf(error: unknown): string {
  const refused =
    error instanceof AppError && ["malformed_json", "validation_failed"].includes(error.code);
  if (refused) return error.message;
  throw error;
}

/** Reads the file and seeds the changelog unless this version was read last. */
async function readAndSeed(
  options: ReseederOptions,
  ownerName: string,
): Promise<{ changed: boolean }> {
  const { db, file, clock, log, onChange } = options;
  const now = clock.now();
  const storedHash = (await readSeedState(db))?.sha256;
  const remember = async (sha256: string, error: string) => {
    if (sha256 === storedHash) return { changed: false };
    await writeSeedState(db, { sha256, error, readAt: isoTime(now) });
    log.warn({ file, error }, "the changelog's seed file is invalid");
    return { changed: false };
  };
  let seed: Seed;
  try {
    const json = await readSeedFile(file);
    if (json === null) return await remember(missing.sha256, missing.error);
    seed = { json, ownerName };
  } catch (error) {
    const reason = reasonOf(error);
    return remember(reason, reason);
  }
  const mark = seedMark(seed);
  if (mark === storedHash) return { changed: false };
  try {
    const { added, removed } = await seedChangelog(db, { ...seed, now, onChange });
    log.info({ file, added, removed }, "the changelog was seeded");
    return { changed: added + removed > 0 };
  } catch (error) {
    return remember(mark, reasonOf(error));
  }
}

/** Creates the reseeder, which acts when the file or the owner's name has changed. */
export function makeReseeder(options: ReseederOptions): Reseeder {
  let stamp: string | null | undefined;
  let name: string | undefined;
  let certain = false;
  const mutex = makeSemaphore(1);
  const reseedIfChanged = async (): Promise<{ changed: boolean }> => {
    const now = await stampOf(options.file);
    const { ownerName } = options;
    const same = now === stamp;
    if (certain && same && ownerName === name) return { changed: false };
    const result = await readAndSeed(options, ownerName);
    // Two writes within one tick of the file system's clock have the same stamp, so only a second
    // check is sure to see the last one.
    certain = same;
    [stamp, name] = [now, ownerName];
    return result;
  };
  return {
    reseedIfChanged: () => mutex.run(reseedIfChanged),
    async state() {
      return { error: (await readSeedState(options.db))?.error ?? null };
    },
  };
}
