import { copyFile, constants, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import { fsyncFile } from "../files.ts";

const pollMs = 50;

/** Leaves write-ahead logging, which SQLite refuses while any other connection is open. */
function collapse(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const row = database.prepare("pragma journal_mode = delete").get() as { journal_mode: string };
    return row.journal_mode === "delete";
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === 5) return false;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * Makes a SQLite database one file, without a log next to it, when nobody else has it open. Throws
 * `in_use` if somebody still has after `waitMs`.
 */
export async function collapseSqlite(file: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!collapse(file)) {
    if (performance.now() > deadline) {
      const message =
        "Another process uses the database. End all commands, and web or runner processes that were started separately.";
      throw new AppError("in_use", message);
    }
    await delay(pollMs);
  }
  await fsyncFile(file);
}

/** Copies a collapsed database to a new file, durably. Whoever calls it keeps others from writing. */
export async function copySqlite(from: string, to: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(to + suffix, { force: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await fsyncFile(to);
}
