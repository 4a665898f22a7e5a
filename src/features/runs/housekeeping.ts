import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { membersArtifacts } from "../members/build-store.ts";
import { pruneArtifacts } from "../release/artifact/prune.ts";
import { readShown } from "../release/artifact/shown.ts";
import { removeArtifacts } from "../release/artifact/whole-artifacts.ts";
import { unfinishedIntents } from "../release/store.ts";
import type { Repository } from "../workspace/git.ts";
import { leaveWorkspace, listWorkspaces } from "../workspace/workspace.ts";
import { dropConversations } from "./conversation-store.ts";
import type { RunEvents } from "./events.ts";
import { openStatuses } from "./run.ts";
import { artifactsOf, findRun, type RunRow } from "./store.ts";

export interface HousekeepingOptions {
  db: Db;
  clock: Clock;
  events: RunEvents;
  repository: Repository;
  artifactsDir: string;
  /** How many artifacts are kept besides those of open runs. */
  keepArtifacts: number;
}

/** What any process of the instance shows, or is about to make live. */
async function artifactsInUse({
  db,
  clock,
  artifactsDir,
}: HousekeepingOptions): Promise<Set<string>> {
  const [ofRuns, shown, ofMembers, intents] = await Promise.all([
    artifactsOf(db, openStatuses),
    readShown(artifactsDir, clock.now()),
    membersArtifacts(db),
    unfinishedIntents(db),
  ]);
  return new Set([...ofRuns, ...shown, ...ofMembers, ...intents.map((intent) => intent.artifact)]);
}

/** How long an interrupted run's workspace and conversation are kept, in ms. */
const interruptedKept = 24 * 60 * 60 * 1000;

/** Whether all that an interrupted run left is still kept. */
export function isKept(row: RunRow, now: number): boolean {
  if (row.status !== "interrupted") return false;
  return now - Date.parse(row.finished_at ?? row.created_at) < interruptedKept;
}

async function isLeftOver(options: HousekeepingOptions, runId: string): Promise<boolean> {
  const row = await findRun(options.db, runId);
  if (!row) return true;
  if (openStatuses.includes(row.status)) return false;
  return !isKept(row, options.clock.now());
}

async function sweepWorkspaces(options: HousekeepingOptions): Promise<void> {
  const { repository } = options;
  for (const name of await listWorkspaces(repository)) {
    // A run is written down before it gets a workspace: one that is being begun is never left over.
    if (ulidPattern.test(name) && (await isLeftOver(options, name))) {
      await leaveWorkspace(repository, name);
    }
  }
}

async function sweepArtifacts(options: HousekeepingOptions): Promise<void> {
  await pruneArtifacts(options.artifactsDir, {
    keep: options.keepArtifacts,
    inUse: await artifactsInUse(options),
    nowMs: options.clock.now(),
  });
}

/**
 * Removes the workspaces, conversations and artifacts that no run needs any more. Each kind is tried
 * whatever became of the others, and what writes to the database comes last: on a full disk the others
 * make the room for it. Throws AggregateError with what went wrong.
 */
export async function sweep(options: HousekeepingOptions): Promise<void> {
  const { db, clock } = options;
  const kinds = [
    () => sweepWorkspaces(options),
    () => sweepArtifacts(options),
    () => dropConversations(db, isoTime(clock.now() - interruptedKept)),
  ];
  const errors: unknown[] = [];
  for (const remove of kinds) await remove().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, "Not all that runs left can be removed.");
}

/** Removes the artifact of a run that is no longer open, unless something else shows the same one. */
export async function dropArtifact(options: HousekeepingOptions, sha: string): Promise<void> {
  if ((await artifactsInUse(options)).has(sha)) return;
  await removeArtifacts(options.artifactsDir, [{ sha }]);
}
