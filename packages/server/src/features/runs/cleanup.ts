import { isoTime } from "../../kit/time.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import { membersArtifacts } from "../members/build-store.ts";
import { pruneArtifacts } from "../release/artifact/prune.ts";
import { readReferencedArtifacts } from "../release/artifact/artifact-references.ts";
import { removeArtifacts } from "../release/artifact/stored-artifacts.ts";
import { unfinishedIntents } from "../release/store.ts";
import { removeFinishedWorkspace, listWorkspaces } from "../workspace/workspace.ts";
import { deleteConversations } from "./conversation-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { openStatuses } from "./run-status.ts";
import { findRun, hasRunWithStatus, listArtifacts, type RunRow, updateRun } from "./store.ts";

type CleanupDependencies = Pick<
  RunDependencies,
  "db" | "clock" | "repository" | "artifactsDir" | "keepArtifacts"
>;

/** Artifacts that any process of the instance shows, or is about to publish. */
async function listArtifactsInUse({
  db,
  clock,
  artifactsDir,
}: CleanupDependencies): Promise<Set<string>> {
  const [ofRuns, referenced, ofMembers, intents] = await Promise.all([
    listArtifacts(db, openStatuses),
    readReferencedArtifacts(artifactsDir, clock.now()),
    membersArtifacts(db),
    unfinishedIntents(db),
  ]);
  return new Set([
    ...ofRuns,
    ...referenced,
    ...ofMembers,
    ...intents.map((intent) => intent.artifact),
  ]);
}

/** How long an interrupted run's workspace and conversation are kept, in ms. */
const interruptedRetentionMs = 24 * 60 * 60 * 1000;

/** Whether everything of an interrupted run is still kept. */
export function isRetained(row: RunRow, now: number): boolean {
  if (row.status !== "interrupted") return false;
  return now - Date.parse(row.finished_at ?? row.created_at) < interruptedRetentionMs;
}

async function isUnused(deps: CleanupDependencies, runId: string): Promise<boolean> {
  const row = await findRun(deps.db, runId);
  if (!row) return true;
  if (openStatuses.includes(row.status)) return false;
  return !isRetained(row, deps.clock.now());
}

async function deleteUnusedWorkspaces(deps: CleanupDependencies): Promise<void> {
  const { repository } = deps;
  for (const name of await listWorkspaces(repository)) {
    // A run is stored before its workspace is created, so a starting run never looks like a
    // leftover.
    if (ulidPattern.test(name) && (await isUnused(deps, name))) {
      await removeFinishedWorkspace(repository, name);
    }
  }
}

async function deleteUnusedArtifacts(deps: CleanupDependencies): Promise<void> {
  await pruneArtifacts(deps.artifactsDir, {
    keep: deps.keepArtifacts,
    inUse: await listArtifactsInUse(deps),
    nowMs: deps.clock.now(),
  });
}

/**
 * Removes workspaces, conversations, and artifacts that no run needs any more. Each kind is tried
 * even if others fail, and database writes come last: on a full disk, the others make room for
 * them. Throws AggregateError with the failures.
 */
export async function cleanUp(deps: CleanupDependencies): Promise<void> {
  const { db, clock } = deps;
  const kinds = [
    () => deleteUnusedWorkspaces(deps),
    () => deleteUnusedArtifacts(deps),
    () => deleteConversations(db, isoTime(clock.now() - interruptedRetentionMs)),
  ];
  const errors: unknown[] = [];
  for (const remove of kinds) await remove().catch((error: unknown) => errors.push(error));
  if (errors.length > 0)
    throw new AggregateError(errors, "Some leftovers of runs can't be removed.");
}

/**
 * Removes the artifact of a closed run, unless something else shows the same one, or could have just
 * built it: then a later cleanup removes it.
 */
export async function deleteArtifact(deps: CleanupDependencies, sha: string): Promise<void> {
  if (await hasRunWithStatus(deps.db, ["building", "publishing"])) return;
  if ((await listArtifactsInUse(deps)).has(sha)) return;
  await removeArtifacts(deps.artifactsDir, [{ sha }]);
}

/** Removes the workspace and the artifact of a finished run. */
export async function removeRunFiles(
  deps: CleanupDependencies,
  runId: string,
  sha: string | null,
): Promise<void> {
  await removeFinishedWorkspace(deps.repository, runId);
  if (sha === null) return;
  await deleteArtifact(deps, sha);
  await updateRun(deps.db, runId, { artifact_sha: null });
}
