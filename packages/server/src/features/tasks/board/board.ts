import type { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { boardRows } from "./list-store.ts";
import { readTaskDetails, serializeTask } from "./serialize-task.ts";
import type { taskBoard } from "../schema.ts";

export interface BoardDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  maxAttempts: number;
  pause: { get(): Promise<boolean> };
  /** The number of live runners. */
  runners(): Promise<number>;
}

/** The board and its entity tag. */
export interface BoardSnapshot {
  /** Strong, with quotes; changes whenever anything shown on the board does. */
  etag: string;
  read(): z.infer<typeof taskBoard>;
}

/**
 * Reads the board. The tag is made from the same rows as the response, so it can't miss a change.
 * Making the response itself is expensive and left to the caller. The server's time isn't part of
 * the tag.
 */
export function makeBoard(deps: BoardDependencies): () => Promise<BoardSnapshot> {
  const { db, clock, maxAttempts, pause } = deps;
  return async () => {
    const [columns, paused, runners] = await Promise.all([
      boardRows(db),
      pause.get(),
      deps.runners(),
    ]);
    const gathered = await readTaskDetails(
      db,
      columns.flatMap(({ rows }) => rows),
    );
    const { runs, uses, steps, unattended } = gathered;
    const parts = [
      columns,
      paused,
      runners,
      maxAttempts,
      [...runs],
      [...uses],
      [...steps],
      unattended,
    ];
    return {
      etag: `"${sha256Hex(JSON.stringify(parts)).slice(0, 32)}"`,
      read: () => ({
        columns: columns.map(({ column, total, rows }) => ({
          column,
          total,
          items: rows.map((row) => serializeTask(row, gathered, maxAttempts)),
        })),
        paused,
        runners,
        now: isoTime(clock.now()),
      }),
    };
  };
}
