import { AppError, toAppError } from "../../kit/errors.ts";
import { ensureGuards } from "../workspace/init.ts";
import { removeTree } from "../../platform/files.ts";
import { join } from "node:path";
import { pruneWorkspaces } from "../workspace/workspace.ts";
import { finalize, type FinalizeDependencies } from "./finalize.ts";
import { unfinishedIntents } from "./store.ts";
import { tidyReleases } from "./current-symlink.ts";

/**
 * Ends every unfinished publish. The caller holds the publish lock, so none of them is running. One
 * that can't be ended is logged and left for the next time; returns the reason of the first such
 * failure.
 */
export async function finalizeAll(deps: FinalizeDependencies): Promise<Error | null> {
  let first: Error | null = null;
  const intents = await unfinishedIntents(deps.db);
  // A git process that outlived its program must not move main after we have read it.
  if (intents.length > 0) await deps.repository.tidy();
  for (const intent of intents) {
    const runId = intent.run_id;
    try {
      const outcome = await finalize(deps, intent);
      deps.log.warn({ runId, outcome }, "finished or rolled back an interrupted publish");
      if (outcome === "rolled back") await deps.hooks.onRolledBack({ runId });
    } catch (error) {
      deps.log.error({ runId, error }, "couldn't finish or roll back an interrupted publish yet");
      first ??= toAppError(error);
    }
  }
  return first;
}

/**
 * The same before a new publish: publishing on top of an unfinished one would hide what is missing.
 * Throws `unavailable` while one is left.
 */
export async function assertFinalized(deps: FinalizeDependencies): Promise<void> {
  const cause = await finalizeAll(deps);
  if (cause === null || (await unfinishedIntents(deps.db)).length === 0) return;
  const message = `An earlier publish couldn't be finished: ${cause.message} Fix that, then try again. See the log for details.`;
  throw new AppError("unavailable", message, { cause });
}

/**
 * Restores a consistent state of the instance after any end of the process: no orphaned git process
 * or lock, no unfinished publish, release, or workspace, and a `current` that points to a complete
 * release.
 */
export async function recoverAll(deps: FinalizeDependencies): Promise<void> {
  const { repository, paths, db } = deps;
  await repository.tidy();
  await ensureGuards(repository);
  await finalizeAll(deps);
  await removeTree(join(repository.gitDir, "vitrine-incoming"));
  // The staged release of an unfinished publish is still needed.
  if ((await unfinishedIntents(db)).length === 0) await tidyReleases(paths);
  await pruneWorkspaces(repository);
}
