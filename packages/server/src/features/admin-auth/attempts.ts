import type { Db } from "../../platform/db/connect.ts";
import { appendLog, maxLogRowsPerOutcome, type LogEntry, pruneLog } from "./store.ts";

export interface AttemptLog {
  /** Resolves when the row is on disk. */
  append(entry: LogEntry): Promise<void>;
}

/**
 * The writer of the admin log. Rows that arrive together are written together, so a flood of
 * attempts needs one write at a time instead of one each. The table is pruned regularly, so a flood
 * can't fill the disk.
 */
export function makeAttemptLog(db: Db, options: { pruneEvery?: number } = {}): AttemptLog {
  const pruneEvery = options.pruneEvery ?? maxLogRowsPerOutcome / 20;
  let batch: { entries: LogEntry[]; written: Promise<void> } | null = null;
  let sincePrune = 0;
  let previous: Promise<unknown> = Promise.resolve();

  async function write(entries: LogEntry[]): Promise<void> {
    await appendLog(db, entries);
    sincePrune += entries.length;
    if (sincePrune >= pruneEvery) {
      sincePrune = 0;
      await pruneLog(db);
    }
  }

  function openBatch(): { entries: LogEntry[]; written: Promise<void> } {
    const entries: LogEntry[] = [];
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const written = Promise.all([turn, previous]).then(() => {
      batch = null;
      return write(entries);
    });
    previous = written.catch(() => {});
    return { entries, written };
  }

  return {
    append(entry) {
      batch ??= openBatch();
      batch.entries.push(entry);
      return batch.written;
    },
  };
}
