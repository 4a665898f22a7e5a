import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import type { WorkerPool } from "../../platform/worker-pool.ts";
import type { Agent, AgentRole, AgentImage, SiteContext, StepUse } from "../agent/agent.ts";
import type { Artifact, SiteBuilder } from "../release/builder/build.ts";
import type { Publisher } from "../release/publish.ts";
import type { SiteRecords } from "../release/snapshot.ts";
import type { RecordChange } from "../projects/run-changes/change.ts";
import type { Repository } from "../workspace/git.ts";
import type { RunEvents } from "./events.ts";
import type { RunForm } from "./request-store.ts";
import type { Registry } from "./runners/registry.ts";
import type { Attachment, BuildReport } from "./schema.ts";

interface Ceiling {
  tokens: number | null;
  cost: number | null;
}

interface ModelSpending {
  tokens: number;
  cost: number | null;
}

/** The parts of the model ledger that runs need. */
export interface RunLedger {
  /** Records a step; throws AppError with `details.limit` if it exceeds a limit. */
  book(use: StepUse & { purpose: "edit" | "ask"; runId: string | null }): Promise<void>;
  /** Throws `throttled` while the daily or monthly limit is reached. */
  assertOpen(): Promise<void>;
  ceilings(): Promise<{ run: Ceiling; day: Ceiling; month: Ceiling }>;
  spent(): Promise<{ day: ModelSpending; month: ModelSpending }>;
}

/** A run that a person has ended, or that its successor has replaced. */
export interface ClosedRun {
  runId: string;
  status: "discarded" | "cancelled";
  successor: string | null;
  /** Another run has undone everything that it had changed. */
  isTakenBack?: boolean;
}

/**
 * Everything that runs need from the rest of the program. `packages/server/src/processes` creates
 * it once; it is passed on unchanged, and a function that needs only parts of it uses `Pick`.
 */
export interface RunDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  /** Threads for processing whole texts. */
  workers: WorkerPool;
  events: RunEvents;
  repository: Repository;
  builder: SiteBuilder;
  publisher: Publisher;
  ledger: RunLedger;
  /** The ID of this runner process in the instance. */
  runnerId: string;
  registry: Pick<Registry, "isGone">;
  limits: Limits;
  /** Read when needed, because the name can change while the process runs. */
  owner: { readonly name: string };
  /** The folder of stored media. */
  mediaDir: string;
  artifactsDir: string;
  /** Has a build on this node that another one has made; none if there is one node. */
  fetchArtifact?: ((sha: string) => Promise<void>) | undefined;
  /** How many artifacts are kept besides those of open runs. */
  keepArtifacts: number;
  maxConcurrentRuns: number;
  /** The agent with this role, as currently configured. */
  selectAgent(role: AgentRole): Promise<Agent>;
  /** The agent that applies a form in a run, without a model. */
  makeFormAgent(runId: string, form: RunForm): Promise<Agent>;
  /**
   * The current published records, with the changelog as it will be after seeding `seed`, the text
   * of the workspace's own seed file; null if it has none. With `changes`, the records as they will
   * be once the run is published.
   */
  exportRecords(seed: string | null, changes?: readonly RecordChange[]): Promise<SiteRecords>;
  /** Checks a built site against the live one. Its errors never block a run. */
  inspectBuild(job: { artifact: Artifact; signal: AbortSignal }): Promise<BuildReport>;
  /**
   * What an agent of these kinds should know about the site, seen from the owner's current page.
   */
  readSiteContext(question: {
    pageUrl: string | null;
    agents: readonly ("editor" | "designer")[];
    /** The owner's words, without attached data. */
    words: string;
    /** The stored project that the run's task is about, whatever page it names. */
    projectId: number | null;
  }): Promise<SiteContext>;
  /** The image of an attachment; throws `validation_failed` if it is gone. */
  resolveAttachment(attachment: Attachment): Promise<AgentImage>;
  /** The number of the live release; null before the first. */
  readCurrentRelease(): Promise<number | null>;
  /** Called when an edit becomes ready; its errors are only logged. */
  onPreviewReady(runId: string): Promise<void>;
  /**
   * Called in the transaction that closes a run, with the run's row locked: if it throws, the run
   * stays open.
   */
  onRunClosed(transaction: Db, closed: ClosedRun): Promise<void>;
}
