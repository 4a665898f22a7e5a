import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { fitEntry } from "../changelog/entry.ts";
import { readSeedFile } from "../changelog/seed-file.ts";
import { type Artifact, BuildFailed } from "../release/builder/build.ts";
import { recordsHash, type SiteRecords } from "../release/snapshot.ts";
import type { RecordChange } from "../projects/run-changes/change.ts";
import { listChanges } from "../projects/run-changes/store.ts";
import { treeId, type Workspace } from "../workspace/workspace.ts";
import type { RunChange } from "./run-change.ts";
import type { RunDependencies } from "./run-dependencies.ts";

type WorkspaceBuilderDependencies = Pick<
  RunDependencies,
  "db" | "builder" | "repository" | "exportRecords" | "mediaDir"
>;

export interface WorkspaceBuildJob {
  workspace: Workspace;
  /**
   * The run's own changelog entry; unless it is hidden, the site is built as if it were already
   * recorded.
   */
  change: RunChange | null;
  /** The tree of the workspace, if the caller has just computed it. */
  tree?: string;
  signal?: AbortSignal;
  onLog?: (line: string) => void;
}

export interface WorkspaceBuild {
  artifact: Artifact;
  /** The tree of the workspace. */
  tree: string;
  /** Of all data in the build besides the workspace. */
  snapshotHash: string;
}

/** The only way from a workspace to an artifact. */
export interface WorkspaceBuilder {
  /**
   * Builds the current workspace. What was just built, and files that just failed to build, aren't
   * built again. Throws BuildFailed if the site doesn't build.
   */
  build(job: WorkspaceBuildJob): Promise<WorkspaceBuild>;
  /** The current value of `snapshotHash`. */
  snapshotHash(job: Pick<WorkspaceBuildJob, "workspace" | "change">): Promise<string>;
}

const seedFile = "database/changelog.json";

function withChange(records: SiteRecords, change: RunChange | null): SiteRecords {
  if (!change || change.isHidden === true) return records;
  const { kind, title, detail, at, actor } = fitEntry(change);
  const entries = [{ kind, title, detail, at, actor }, ...records.snapshot.changelog];
  const changelog = entries.toSorted((a, b) => b.at.localeCompare(a.at));
  return { ...records, snapshot: { ...records.snapshot, changelog } };
}

const repairableCodes = new Set(["validation_failed", "malformed_json"]);

/** What isn't allowed in sources, seed, or output has to be fixed by the agent like any error. */
function toBuildFailed(error: unknown): unknown {
  const refused = error instanceof AppError && repairableCodes.has(error.code);
  return refused && !(error instanceof BuildFailed) ? new BuildFailed([error.message], "") : error;
}

/** Builds the workspace of one run. */
export function makeWorkspaceBuilder(deps: WorkspaceBuilderDependencies): WorkspaceBuilder {
  const { builder, repository, mediaDir } = deps;
  const readRecords = async (
    { workspace, change }: Pick<WorkspaceBuildJob, "workspace" | "change">,
    changes: readonly RecordChange[],
  ) => {
    const seed = await readSeedFile(join(workspace.dir, seedFile));
    return withChange(await deps.exportRecords(seed, changes), change);
  };
  const listOwn = ({ runId }: Workspace) => listChanges(deps.db, runId);
  let lastBuild: WorkspaceBuild | undefined;
  let lastFailure: { work: string; error: BuildFailed } | undefined;

  return {
    async build({ workspace, change, tree: known, signal, onLog }) {
      const tree = known ?? (await treeId(repository, workspace));
      const changes = await listOwn(workspace);
      const work = JSON.stringify([tree, changes]);
      if (lastFailure?.work === work) throw lastFailure.error;
      try {
        const records = await readRecords({ workspace, change }, changes);
        const snapshotHash = recordsHash(records);
        if (lastBuild?.tree === tree && lastBuild.snapshotHash === snapshotHash) return lastBuild;
        const artifact = await builder.build({
          sourceDir: workspace.dir,
          ...records,
          mediaDir,
          ...(signal ? { signal } : {}),
          ...(onLog ? { onLog } : {}),
        });
        lastBuild = { tree, snapshotHash, artifact };
        return lastBuild;
      } catch (thrown) {
        const error = toBuildFailed(thrown);
        if (error instanceof BuildFailed) lastFailure = { work, error };
        throw error;
      }
    },
    snapshotHash: async (job) => recordsHash(await readRecords(job, await listOwn(job.workspace))),
  };
}
