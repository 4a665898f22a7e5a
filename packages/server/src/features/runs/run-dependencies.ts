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

/** The part of the ledger of model use that runs need. */
export interface RunLedger {
  /** Books a step; throws AppError with `details.limit` when a ceiling is passed by it. */
  book(use: StepUse & { purpose: "edit" | "ask"; runId: string | null }): Promise<void>;
  /** Throws `throttled` while a ceiling of the day or the month is reached. */
  assertOpen(): Promise<void>;
  ceilings(): Promise<{ run: Ceiling; day: Ceiling; month: Ceiling }>;
  spent(): Promise<{ day: ModelSpending; month: ModelSpending }>;
}

/** A run that a person has ended, or whose place its successor has taken. */
export interface ClosedRun {
  runId: string;
  status: "discarded" | "cancelled";
  successor: string | null;
  /** Another run has taken back all that it had changed. */
  isTakenBack?: boolean;
}

/**
 * Everything that runs need from the rest of the program. `packages/server/src/processes` builds it once; it is passed
 * on as it is, and a function that needs less of it says so with `Pick`.
 */
export interface RunDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  /** Threads for work on whole texts. */
  workers: WorkerPool;
  events: RunEvents;
  repository: Repository;
  builder: SiteBuilder;
  publisher: Publisher;
  ledger: RunLedger;
  /** The id of this runner process among those of the instance. */
  runnerId: string;
  registry: Pick<Registry, "isGone">;
  limits: Limits;
  /** Read when it is needed: the name can change while the process runs. */
  owner: { readonly name: string };
  /** The folder of stored media. */
  mediaDir: string;
  artifactsDir: string;
  /** How many artifacts are kept besides those of open runs. */
  keepArtifacts: number;
  maxConcurrentRuns: number;
  /** The agent of this role as configured now. */
  selectAgent(role: AgentRole): Promise<Agent>;
  /** What carries out a form in a run, without a model. */
  makeFormAgent(runId: string, form: RunForm): Promise<Agent>;
  /**
   * The published records as they are now, with the changelog as it will be once `seed`, the text of
   * the workspace's own seed file, is taken; null where it has none. With `changes` of a run as they
   * will be when it is published.
   */
  exportRecords(seed: string | null, changes?: readonly RecordChange[]): Promise<SiteRecords>;
  /** Checks a built site against the live one. What it throws never stands in a run's way. */
  inspectBuild(job: { artifact: Artifact; signal: AbortSignal }): Promise<BuildReport>;
  /** What an agent of these kinds should know of the site, seen from the page that the owner looks at. */
  readSiteContext(question: {
    pageUrl: string | null;
    agents: readonly ("editor" | "designer")[];
    /** What the owner has said, without data that goes with it. */
    words: string;
    /** The stored project that the run's task is about, whatever page it names. */
    projectId: number | null;
  }): Promise<SiteContext>;
  /** The image that an attachment names; throws `validation_failed` where it is gone. */
  resolveAttachment(attachment: Attachment): Promise<AgentImage>;
  /** The number of the release that visitors see; null before the first. */
  readCurrentRelease(): Promise<number | null>;
  /** Called when an edit has become ready; what it throws is only logged. */
  onPreviewReady(runId: string): Promise<void>;
  /** Called in the transaction that closes a run, with the run's row held: throws, and it stays open. */
  onRunClosed(transaction: Db, closed: ClosedRun): Promise<void>;
}
