import type { AppError, ErrorCode } from "../../../kit/errors.ts";
import type { RunFailure } from "../../runs/failure.ts";
import type { ReviewReason } from "../schema.ts";
import { attemptDelayMs, shortDelayMs } from "./retry-delay.ts";

/** What stood in the way of a task, and when: before its run began, in its run, or as it was published. */
export interface TaskFailure {
  stage: "begin" | "work" | "publish";
  how: RunFailure["how"];
  error: AppError;
  /** What is said of it, in one sentence. */
  reason: string;
}

/** What becomes of a task. */
export type Verdict =
  /** Somebody else has moved it. */
  | { kind: "leave" }
  | { kind: "end"; status: "reverted" | "failed"; error: string }
  | { kind: "review"; review: ReviewReason[] }
  | {
      kind: "queue";
      reason: string;
      waitMs: number;
      counts: boolean;
      /** What it comes to when that was the last attempt. */
      exhausted: "failed" | "reverted";
      /** Whether what stands in the way of this task does so of every other one. */
      forAll: boolean;
    };

interface Details {
  limit?: unknown;
  refusal?: unknown;
  tooLong?: unknown;
  files?: unknown;
  /** What the model's provider answered with; null when it didn't answer. */
  provider?: unknown;
  /** `task` where others aren't concerned. */
  concerns?: unknown;
}

/** What one run may take; another attempt would take it again. */
const runLimits = new Set<unknown>(["steps", "minutes", "tokens", "run-cost", "repetition"]);
const ceilings = new Set<unknown>(["day", "month"]);

/** What the agent, the images or the instruction are refused for: it would be refused again. */
const errorResponses = new Set<ErrorCode>([
  "validation_failed",
  "dirty_tree",
  "bad_media",
  "too_large",
  "unsupported_media_type",
  "invalid_state",
  "model_not_configured",
]);

function detailsOf({ details }: AppError): Details {
  return typeof details === "object" && details !== null ? details : {};
}

/** The longest reason that is kept, in characters: it may name as many files as there are. */
const maxReasonLength = 600;

function short(reason: string): string {
  return reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason;
}

/** Back to the queue, as if it had not been begun. */
function later(reason: string, waitMs: number, forAll: boolean): Verdict {
  return { kind: "queue", reason, waitMs, counts: false, exhausted: "failed", forAll };
}

function again(reason: string, attempt: number, exhausted: "failed" | "reverted") {
  const waitMs = attemptDelayMs(attempt);
  return { kind: "queue", reason, waitMs, counts: true, exhausted, forAll: false } as const;
}

function reverted(error: string): Verdict {
  return { kind: "end", status: "reverted", error };
}

/** What stands in the way of every task alike, whenever it is met; null for anything else. */
function commonVerdict({ stage, error, reason }: TaskFailure): Verdict | null {
  const { code } = error;
  if (code === "disk_full") return later(reason, shortDelayMs.disk, true);
  if (code === "locked") return later(reason, shortDelayMs.busy, false);
  if (stage !== "begin") return null;
  if (ceilings.has(detailsOf(error).limit)) return later(reason, shortDelayMs.ceiling, true);
  if (code === "throttled" || code === "dirty_tree") return later(reason, shortDelayMs.busy, true);
  // A key that is missing is missed by all of them; without a model some can be carried out.
  if (code === "model_not_configured") {
    return later(reason, shortDelayMs.ceiling, detailsOf(error).concerns !== "task");
  }
  return null;
}

function onPublish({ error, reason }: TaskFailure, attempt: number): Verdict {
  const { files } = detailsOf(error);
  if (error.code === "dirty_tree") {
    const message =
      "Files of the site were edited by hand. Commit or revert them, then approve this.";
    const items = Array.isArray(files) ? files.map(String).slice(0, 20) : [];
    return { kind: "review", review: [{ kind: "dirty_tree", message, items }] };
  }
  if (error.code === "invalid_state") return reverted(reason);
  // `main` or the records have moved on: on what is there now it may fit, or build, again.
  if (error.code === "conflict" || error.code === "validation_failed") {
    return again(reason, attempt, "reverted");
  }
  return again(reason, attempt, "failed");
}

function onWork({ error, reason }: TaskFailure, attempt: number): Verdict {
  const { limit, refusal, tooLong, provider } = detailsOf(error);
  // The next attempt costs as much, so that the ceiling was met counts: it ends one day.
  if (ceilings.has(limit)) {
    return { ...again(reason, attempt, "failed"), waitMs: shortDelayMs.ceiling };
  }
  if (runLimits.has(limit) || refusal !== undefined || tooLong === true) return reverted(reason);
  if (errorResponses.has(error.code)) return reverted(reason);
  // Else the whole queue would fail in the minutes for which a provider is away.
  return { ...again(reason, attempt, "failed"), forAll: provider !== undefined };
}

/**
 * What becomes of a task that met trouble. `attempt` counts from 1. What would meet every task is no
 * attempt; what may be gone by then is tried again after a wait; what would come again ends it.
 */
export function decideVerdict(taskFailure: TaskFailure, attempt: number): Verdict {
  const failure = { ...taskFailure, reason: short(taskFailure.reason) };
  const { how, stage } = failure;
  if (how === "lost") return { kind: "leave" };
  if (how === "interrupted") return later("The runner was stopped.", 0, false);
  const inTheWay = commonVerdict(failure);
  if (inTheWay !== null) return inTheWay;
  return stage === "publish" ? onPublish(failure, attempt) : onWork(failure, attempt);
}
