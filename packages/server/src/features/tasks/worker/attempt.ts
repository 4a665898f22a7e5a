import type { Clock } from "../../../kit/clock.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { SandboxTier } from "../../release/builder/sandbox.ts";
import type { RunEvents } from "../../runs/events.ts";
import type { Runs } from "../../runs/runs.ts";
import type { BuildReport } from "../../runs/schema.ts";
import type { FileDiff } from "../../workspace/diff.ts";
import type { Repository } from "../../workspace/git.ts";
import type { Claim } from "../queue/claim.ts";
import type { Lease } from "./lease.ts";
import type { RunChange } from "../../runs/run-change.ts";
import type { ReviewReason, TaskScope } from "../schema.ts";

/** A built change that could go live. */
export interface ReviewJob {
  artifactSha: string;
  files: FileDiff[];
  /** The result of the preview's checks; null if they failed. */
  report: BuildReport | null;
  /** What the task is about. */
  scope: TaskScope;
  /** The changelog entry that the build was made with; null without one. */
  entry: RunChange | null;
  /** IDs of the task's images. */
  attachments: readonly number[];
  /** Whether to check in a browser that visitors see what the files say. */
  comparesAppearance: boolean;
  signal: AbortSignal;
}

export interface ExecuteTaskDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  events: RunEvents;
  runs: Runs;
  repository: Repository;
  paths: Pick<InstancePaths, "data">;
  limits: Limits["tasks"];
  /** Throws `disk_full` if there is too little disk space to build and publish a change. */
  assertSpace(): Promise<void>;
  /** How this runner's builds are contained. */
  tier: SandboxTier;
  /** Why a person has to review a change first; empty if nobody has to. */
  review(job: ReviewJob): Promise<ReviewReason[]>;
}

/** An attempt at a task. */
export interface Attempt {
  claim: Claim;
  lease: Lease;
  /** Its run, once it has started. */
  runId: string | null;
}
