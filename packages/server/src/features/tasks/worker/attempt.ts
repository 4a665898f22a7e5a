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

/** A change that is built and could go live. */
export interface ReviewJob {
  artifactSha: string;
  files: FileDiff[];
  /** What the checks of the preview said; null when they could not be made. */
  report: BuildReport | null;
  /** What the task is about. */
  scope: TaskScope;
  /** The changelog entry that the build was made with; null without. */
  entry: RunChange | null;
  /** Ids of the task's images. */
  attachments: readonly number[];
  /** Whether visitors have to see in a browser what the files say. */
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
  /** How far this runner's builds are kept in. */
  tier: SandboxTier;
  /** Why a person has to look at a change first; nothing speaks against it with an empty list. */
  review(job: ReviewJob): Promise<ReviewReason[]>;
}

/** One attempt at a task. */
export interface Attempt {
  claim: Claim;
  lease: Lease;
  /** Its run, once that has begun. */
  runId: string | null;
}
