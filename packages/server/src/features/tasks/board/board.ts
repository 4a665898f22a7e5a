import type { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { boardRows } from "./list-store.ts";
import { gather, taskOf } from "./record.ts";
import type { taskBoard } from "../schema.ts";

export interface BoardDeps {
  db: Db;
  clock: Pick<Clock, "now">;
  mostAttempts: number;
  pause: { get(): Promise<boolean> };
  /** How many runners live. */
  runners(): Promise<number>;
}

/** The board as it stands: what tells it from another one, and itself. */
export interface BoardLook {
  /** Strong, with its quotes: another one whenever anything that the board shows has changed. */
  etag: string;
  show(): z.infer<typeof taskBoard>;
}

/**
 * Looks at the board. The tag is made of the very rows that the answer would be made of, so it can't
 * miss a change; making the answer itself is what costs, and is left to whoever needs it. The
 * server's time is no part of the tag.
 */
export function makeBoard(deps: BoardDeps): () => Promise<BoardLook> {
  const { db, clock, mostAttempts, pause } = deps;
  return async () => {
    const [columns, paused, runners] = await Promise.all([
      boardRows(db),
      pause.get(),
      deps.runners(),
    ]);
    const gathered = await gather(
      db,
      columns.flatMap(({ rows }) => rows),
    );
    const { runs, uses, steps } = gathered;
    const parts = [columns, paused, runners, mostAttempts, [...runs], [...uses], [...steps]];
    return {
      etag: `"${sha256Hex(JSON.stringify(parts)).slice(0, 32)}"`,
      show: () => ({
        columns: columns.map(({ column, total, rows }) => ({
          column,
          total,
          items: rows.map((row) => taskOf(row, gathered, mostAttempts)),
        })),
        paused,
        runners,
        now: isoTime(clock.now()),
      }),
    };
  };
}
