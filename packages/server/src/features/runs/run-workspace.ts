import { createWorkspace, openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { RunRow } from "./store.ts";

/**
 * The workspace of a run to publish, and its build, here or as another node has stored them. Throws
 * `not_found` if no node has the workspace.
 */
export async function openRunWorkspace(
  { repository, fetchArtifact }: Pick<RunDependencies, "repository" | "fetchArtifact">,
  { id, base_commit: baseCommit, workspace_tree: tree, artifact_sha: sha }: RunRow,
): Promise<Workspace> {
  // Without it, the preview is built again.
  if (sha !== null) await fetchArtifact?.(sha).catch(() => {});
  const { remote } = repository;
  if (remote === null || baseCommit === null || tree === null) return openWorkspace(repository, id);
  await remote.sync(repository);
  const own = await openWorkspace(repository, id).catch(() => null);
  if (own !== null) return own;
  await remote.getRun(repository, id);
  return createWorkspace(repository, id, { baseCommit, tree });
}
