import type { AgentPicture, SiteKnowledge, StepUse } from "../agent/agent.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { WorkerPool } from "../../platform/worker-pool.ts";
import type { Artifact } from "../release/builder/build.ts";
import type { Attachment, BuildReport } from "./schema.ts";

interface Ceiling {
  tokens: number | null;
  cost: number | null;
}

interface Spent {
  tokens: number;
  cost: number | null;
}

/** What runs ask of the book that is kept of all that models take. */
export interface RunLedger {
  /** Books a step; throws AppError with `details.limit` when a ceiling is passed by it. */
  book(use: StepUse & { purpose: "edit" | "ask"; runId: string | null }): Promise<void>;
  /** Throws `throttled` while a ceiling of the day or the month is reached. */
  assertOpen(): Promise<void>;
  ceilings(): Promise<{ run: Ceiling; day: Ceiling; month: Ceiling }>;
  spent(): Promise<{ day: Spent; month: Spent }>;
}

/** A run that a person has ended, or that another one, its heir, took the place of. */
export interface ClosedRun {
  runId: string;
  status: "discarded" | "cancelled";
  heir: string | null;
}

/** What the rest of the program gives to runs. */
export interface Surroundings {
  /** Checks a built site against the live one. What it throws never stands in a run's way. */
  inspect(job: { artifact: Artifact; signal: AbortSignal }): Promise<BuildReport>;
  /** What an agent of these kinds should know of the site, seen from the page that the owner looks at. */
  siteOf(question: {
    pageUrl: string | null;
    agents: readonly ("editor" | "designer")[];
    /** What the owner has said, without data that goes with it. */
    words: string;
  }): Promise<SiteKnowledge>;
  /** The picture that goes along; throws `validation_failed` naming one that isn't there. */
  pictureOf(attachment: Attachment): Promise<AgentPicture>;
  ledger: RunLedger;
  /** Where work on whole texts is done. */
  workers: WorkerPool;
  /** Called when an edit has become ready; what it throws is only logged. */
  onReady(runId: string): Promise<void>;
  /** Called in the transaction that closes a run, with the run's row held: throws, and it stays open. */
  onClosed(transaction: Db, closed: ClosedRun): Promise<void>;
  /** The number of the release that visitors see; null before the first. */
  currentRelease(): Promise<number | null>;
}
