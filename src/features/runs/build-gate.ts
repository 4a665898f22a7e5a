import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { type Artifact, BuildFailed, type SiteBuilder } from "../release/builder/build.ts";
import type { Snapshot } from "../release/snapshot.ts";
import type { Repository } from "../workspace/git.ts";
import { treeId, type Workspace } from "../workspace/workspace.ts";
import type { RunChange } from "./describe.ts";

export interface BuildGateOptions {
  builder: SiteBuilder;
  repository: Repository;
  /** The published records as they are now. */
  snapshot: () => Promise<Snapshot>;
  mediaDir: string;
}

export interface BuildGateJob {
  workspace: Workspace;
  /** The run's own changelog entry; the site is built as if it were already recorded. */
  change: RunChange | null;
  /** The id of the workspace's files where the caller has just asked for it. */
  tree?: string;
  signal?: AbortSignal;
  onLog?: (line: string) => void;
}

export interface BuildGateResult {
  artifact: Artifact;
  /** The id of the workspace's files. */
  tree: string;
  /** Of all data that went into the build, besides the workspace. */
  snapshotHash: string;
}

/** The way from a workspace to an artifact: the only one there is. */
export interface BuildGate {
  /**
   * Builds the workspace as it stands. What was just built, and files that just failed to build, are
   * not built again. Throws BuildFailed when the site doesn't build.
   */
  build(job: BuildGateJob): Promise<BuildGateResult>;
  /** What `snapshotHash` would be now. */
  snapshotHash(change: RunChange | null): Promise<string>;
}

function withChange(snapshot: Snapshot, change: RunChange | null): Snapshot {
  if (!change) return snapshot;
  const entries = [{ ...change, commit: null }, ...snapshot.changelog];
  return { ...snapshot, changelog: entries.toSorted((a, b) => b.at.localeCompare(a.at)) };
}

function hashOf(snapshot: Snapshot): string {
  return sha256Hex(JSON.stringify(snapshot));
}

/** Sources or output that a site may not have are the agent's to repair, like any build error. */
function asBuildFailed(error: unknown): unknown {
  const refused = error instanceof AppError && error.code === "validation_failed";
  return refused && !(error instanceof BuildFailed) ? new BuildFailed([error.message], "") : error;
}

/** The gate of one run. */
export function makeBuildGate(options: BuildGateOptions): BuildGate {
  const { builder, repository, mediaDir } = options;
  const present = async (change: RunChange | null) => withChange(await options.snapshot(), change);
  let passed: BuildGateResult | undefined;
  let failed: { tree: string; error: BuildFailed } | undefined;

  return {
    async build({ workspace, change, tree: known, signal, onLog }) {
      const snapshot = await present(change);
      const snapshotHash = hashOf(snapshot);
      const tree = known ?? (await treeId(repository, workspace));
      if (failed?.tree === tree) throw failed.error;
      if (passed?.tree === tree && passed.snapshotHash === snapshotHash) return passed;
      try {
        const artifact = await builder.build({
          sourceDir: workspace.dir,
          snapshot,
          mediaDir,
          ...(signal ? { signal } : {}),
          ...(onLog ? { onLog } : {}),
        });
        passed = { tree, snapshotHash, artifact };
        return passed;
      } catch (thrown) {
        const error = asBuildFailed(thrown);
        if (error instanceof BuildFailed) failed = { tree, error };
        throw error;
      }
    },
    snapshotHash: async (change) => hashOf(await present(change)),
  };
}
