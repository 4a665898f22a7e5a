import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Repository } from "../workspace/git.ts";
import { openWorkspace, type Stand, treeId } from "../workspace/workspace.ts";
import { findConversation } from "./conversation-store.ts";
import { standOf } from "./execution.ts";
import { isKept } from "./housekeeping.ts";
import { findRequest } from "./request-store.ts";
import type { RunRow } from "./store.ts";

interface Places {
  db: Db;
  clock: Clock;
  repository: Repository;
}

function workspaceOf({ repository }: Places, row: RunRow) {
  return openWorkspace(repository, row.id).catch(() => null);
}

function isLeft(places: Places, row: RunRow): boolean {
  return row.kind === "edit" && (row.status === "preview_ready" || isKept(row, places.clock.now()));
}

/**
 * Where a run's work stands, for another run to go on from: ready ones, and those interrupted within
 * the last day. Null where nothing of it is left.
 */
export async function leftStanding(places: Places, row: RunRow): Promise<Stand | null> {
  if (!isLeft(places, row)) return null;
  const workspace = await workspaceOf(places, row);
  if (workspace !== null) {
    const tree = await treeId(places.repository, workspace);
    return { baseCommit: workspace.baseCommit, tree };
  }
  // One that never came to make its workspace stands where it would have begun.
  return standOf({ row, request: await findRequest(places.db, row.id) });
}

/** Whether a run's work is still there; cheaper than finding out what it is. */
export async function isStanding(places: Places, row: RunRow): Promise<boolean> {
  if (!isLeft(places, row)) return false;
  if ((await workspaceOf(places, row)) !== null) return true;
  return standOf({ row, request: await findRequest(places.db, row.id) }) !== null;
}

/** Whether a retry of the run goes on from where it stood. */
export async function canRetryThere(places: Places, row: RunRow): Promise<boolean> {
  if (row.status !== "interrupted" || !(await isStanding(places, row))) return false;
  return (await findConversation(places.db, row.id)) !== null;
}
