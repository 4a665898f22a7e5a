import { randomBytes } from "node:crypto";
import { openDatabase } from "../../platform/db/connect.ts";
import { deleteIncomplete } from "../../platform/db/move-marks.ts";
import { instancePaths } from "../../platform/paths.ts";
import type { CopyRecords } from "../backup/restore-postgres.ts";
import { copySequences, copyTables, matchTables, verifyTables } from "./copy.ts";
import { completeTarget, withPreparedTarget } from "./target.ts";

/** Implements `copyRecords` of a restore with what moves the records of an instance. */
export function makeCopyRecords(clock: { now(): number }): CopyRecords {
  return async ({ file, url, instance, signal, onProgress }) => {
    const moveId = randomBytes(8).toString("hex");
    const source = openDatabase({ url: null, file });
    const prepared = { url, instance, moveId, now: clock.now() };
    try {
      // The paths are for SQLite as the target.
      await withPreparedTarget(instancePaths("."), prepared, async (target) => {
        const { tables } = await matchTables(source, target.database);
        const ignored = () => {};
        const copying = { source, target, tables, signal, onTable: ignored, onRows: ignored };
        const copied = await copyTables(copying, true);
        await copySequences(copying);
        onProgress("Verifying the records");
        await verifyTables(copying, copied);
        await completeTarget(target);
        await deleteIncomplete(target.database.db);
      });
    } finally {
      await source.close();
    }
  };
}
