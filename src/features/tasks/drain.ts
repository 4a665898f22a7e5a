import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import type { RunEvents } from "../runs/events.ts";
import type { Runs } from "../runs/lifecycle.ts";
import type { BuildReport, FileDiff } from "../runs/schema.ts";
import type { Repository } from "../workspace/git.ts";
import type { ReviewReason } from "./schema.ts";

/** A change that is built and could go live. */
export interface ReviewJob {
  artifactSha: string;
  files: FileDiff[];
  /** What the checks of the preview said; null when they could not be made. */
  report: BuildReport | null;
  signal: AbortSignal;
}

export interface DrainOptions {
  db: Db;
  clock: Clock;
  log: Log;
  events: RunEvents;
  runs: Runs;
  repository: Repository;
  runnerId: string;
  limits: Limits["tasks"];
  /** Why a person has to look at a change first; nothing speaks against it with an empty list. */
  review(job: ReviewJob): Promise<ReviewReason[]>;
  paused(): Promise<boolean>;
  /** How often it looks for something to do, in ms; 2,000 unless told. */
  lookMs?: number;
}

/** Takes tasks from the queue and has them carried out. */
export interface Drain {
  start(): void;
  /** Looks at once: a task was made, approved or cancelled. */
  wake(): void;
  /** Begins to drain, even while paused; gives what it sets out with at once. */
  run(): Promise<{ queued: number; running: number }>;
  /** Puts back what runners held that are gone. To be called at boot, and from time to time. */
  recover(gone: readonly string[]): Promise<void>;
  /** Waits until nothing is under way. */
  idle(): Promise<void>;
  /** Gives back what is under way, for a shutdown. To be called before the runs are closed. */
  close(): Promise<void>;
}

export function makeDrain(_options: DrainOptions): Drain {
  throw new Error("not yet");
}
