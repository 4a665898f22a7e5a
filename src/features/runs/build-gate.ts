import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { fitEntry } from "../changelog/entry.ts";
import { readSeedFile } from "../changelog/seed-file.ts";
import { type Artifact, BuildFailed, type SiteBuilder } from "../release/builder/build.ts";
import { recordsHash, type SiteRecords } from "../release/snapshot.ts";
import type { Repository } from "../workspace/git.ts";
import { treeId, type Workspace } from "../workspace/workspace.ts";
import type { RunChange } from "./describe.ts";

export interface BuildGateOptions {
  builder: SiteBuilder;
  repository: Repository;
  /**
   * The published records as they are now, with the changelog as it will be once `seed`, the text of
   * the workspace's own seed file, is taken; null where it has none.
   */
  records: (seed: string | null) => Promise<SiteRecords>;
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
  snapshotHash(job: Pick<BuildGateJob, "workspace" | "change">): Promise<string>;
}

const seedFile = "database/changelog.json";

function withChange(records: SiteRecords, change: RunChange | null): SiteRecords {
  if (!change) return records;
  const { kind, title, detail, at, actor } = fitEntry(change);
  const entries = [{ kind, title, detail, at, actor }, ...records.snapshot.changelog];
  const changelog = entries.toSorted((a, b) => b.at.localeCompare(a.at));
  return { ...records, snapshot: { ...records.snapshot, changelog } };
}

const repairable = new Set(["validation_failed", "malformed_json"]);

/** What a site may not have, in its sources, seed or output, is the agent's to repair like any error. */
function asBuildFailed(error: unknown): unknown {
  const refused = error instanceof AppError && repairable.has(error.code);
  return refused && !(error instanceof BuildFailed) ? new BuildFailed([error.message], "") : error;
}

/** The gate of one run. */
export function makeBuildGate(options: BuildGateOptions): BuildGate {
  const { builder, repository, mediaDir } = options;
  const present = async ({ workspace, change }: Pick<BuildGateJob, "workspace" | "change">) => {
    const seed = await readSeedFile(join(workspace.dir, seedFile));
    return withChange(await options.records(seed), change);
  };
  let passed: BuildGateResult | undefined;
  let failed: { tree: string; error: BuildFailed } | undefined;

  return {
    async build({ workspace, change, tree: known, signal, onLog }) {
      const tree = known ?? (await treeId(repository, workspace));
      if (failed?.tree === tree) throw failed.error;
      try {
        const records = await present({ workspace, change });
        const snapshotHash = recordsHash(records);
        if (passed?.tree === tree && passed.snapshotHash === snapshotHash) return passed;
        const artifact = await builder.build({
          sourceDir: workspace.dir,
          ...records,
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
    snapshotHash: async (job) => recordsHash(await present(job)),
  };
}
