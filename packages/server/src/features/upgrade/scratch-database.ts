import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  postgresAddress,
} from "../../platform/db/scratch.ts";
import { undefinedIfMissing, removeTree, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";

const namePattern = /^vitrine_trial_[0-9a-f]{12}$/;
const noteFile = ({ upgrade }: InstancePaths) => join(upgrade, "scratch-database");

/** Drops the database that a killed trial left. */
async function dropLeftover(paths: InstancePaths, url: string): Promise<void> {
  const name = (await undefinedIfMissing(readFile(noteFile(paths), "utf8")))?.trim() ?? "";
  if (namePattern.test(name)) await dropPostgresDatabase(url, name);
  await removeTree(noteFile(paths));
}

/**
 * Runs `task` with the address of a new, empty PostgreSQL database on the server of `url`, which is
 * dropped afterwards. Throws `unavailable` if the user may not create one.
 */
export async function withScratchDatabase<T>(
  paths: InstancePaths,
  url: string,
  task: (scratchUrl: string) => Promise<T>,
): Promise<T> {
  await dropLeftover(paths, url);
  const name = `vitrine_trial_${randomBytes(6).toString("hex")}`;
  // Before it exists, so that nothing is left that nobody knows of.
  await writeFileAtomic(noteFile(paths), `${name}\n`, { mode: 0o600 });
  try {
    await createPostgresDatabase(url, name);
  } catch (cause) {
    await removeTree(noteFile(paths));
    const message = `The new version can't be tried: a database for the trial can't be created (${(cause as Error).message}). Give the user the right to create databases (ALTER USER … CREATEDB), or upgrade with --without-trial.`;
    throw new AppError("unavailable", message, { cause });
  }
  try {
    return await task(postgresAddress(url, name));
  } finally {
    await dropLeftover(paths, url);
  }
}
