import { AppError, toAppError } from "../../kit/errors.ts";
import { ensureGuards } from "../workspace/init.ts";
import { removeTree } from "../../platform/files.ts";
import { join } from "node:path";
import { pruneWorkspaces } from "../workspace/workspace.ts";
import { finalize, type FinalizeDependencies } from "./finalize.ts";
import { unfinishedIntents } from "./store.ts";
import { tidyReleases } from "./current-symlink.ts";

/**
 * Settles every publish that has begun and not ended. The caller holds the publish lock, so none of
 * them has a living process. One that can't be settled is left for the next time, and logged; gives
 * the reason of the first one that failed.
 */
export async function finalizeAll(deps: FinalizeDependencies): Promise<Error | null> {
  let first: Error | null = null;
  const intents = await unfinishedIntents(deps.db);
  // A git process that outlived its program must not move main after we have looked.
  if (intents.length > 0) await deps.repository.tidy();
  for (const intent of intents) {
    const runId = intent.run_id;
    try {
      const outcome = await finalize(deps, intent);
      deps.log.warn({ runId, outcome }, "an unfinished publish is settled");
      if (outcome === "rolled back") await deps.hooks.onRolledBack({ runId });
    } catch (error) {
      deps.log.error({ runId, error }, "an unfinished publish can't be settled yet");
      first ??= toAppError(error);
    }
  }
  return first;
}

/**
 * The same, for whoever is about to publish: on top of one that is neither live nor taken back the
 * next one would hide what is missing. Throws `unavailable` while one is left.
 */
export async function assertFinalized(deps: FinalizeDependencies): Promise<void> {
  const cause = await finalizeAll(deps);
  if (cause === null || (await unfinishedIntents(deps.db)).length === 0) return;
  const message = `An earlier publish couldn't be finished: ${cause.message} Fix that, then try again. See the log for details.`;
  throw new AppError("unavailable", message, { cause });
}

/**
 * Brings an instance back to a whole state after any end of the process: no orphaned git process or
 * lock, no half publish, release or workspace, and a `current` that points at a whole release.
 */
export async function recoverAll(deps: FinalizeDependencies): Promise<void> {
  const { repository, paths, db } = deps;
  await repository.tidy();
  await ensureGuards(repository);
  await finalizeAll(deps);
  await removeTree(join(repository.gitDir, "vitrine-incoming"));
  // What an unsettled publish has staged is still wanted.
  if ((await unfinishedIntents(db)).length === 0) await tidyReleases(paths);
  await pruneWorkspaces(repository);
}
