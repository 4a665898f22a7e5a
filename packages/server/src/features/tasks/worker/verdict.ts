import type { AppError, ErrorCode } from "../../../kit/errors.ts";
import type { RunFailure } from "../../runs/failure.ts";
import type { ReviewReason } from "../schema.ts";
import { attemptDelayMs, shortDelayMs } from "./retry-delay.ts";

/** What prevented a task, and when: before its run started, in its run, or during its publish. */
export interface TaskFailure {
  stage: "begin" | "work" | "publish";
  how: RunFailure["how"];
  error: AppError;
  /** The reason, in one sentence. */
  reason: string;
}

/** What happens to a task. */
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
      /** Its state if that was the last attempt. */
      exhausted: "failed" | "reverted";
      /** Whether the obstacle affects all tasks. */
      forAll: boolean;
    };

interface Details {
  limit?: unknown;
  refusal?: unknown;
  tooLong?: unknown;
  files?: unknown;
  /** The provider's status; null if it didn't respond. */
  provider?: unknown;
  /** `task` if no others are affected. */
  concerns?: unknown;
}

/** Limits of a single run; another attempt would reach them again. */
const runLimits = new Set<unknown>(["steps", "minutes", "tokens", "run-cost", "repetition"]);
const ceilings = new Set<unknown>(["day", "month"]);

/** Refusals of the agent, the images, or the instruction, which would be refused again. */
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

/** Maximum characters of a stored reason, which could name any number of files. */
const maxReasonLength = 600;

function short(reason: string): string {
  return reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason;
}

/** Requeues it as if it hadn't started. */
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

/** Obstacles before the run, so that they cost nothing; null for anything else. */
function commonVerdict({ stage, error, reason }: TaskFailure): Verdict | null {
  const { code } = error;
  if (stage !== "begin") return null;
  if (code === "disk_full") return later(reason, shortDelayMs.disk, true);
  if (code === "locked") return later(reason, shortDelayMs.busy, false);
  if (ceilings.has(detailsOf(error).limit)) return later(reason, shortDelayMs.ceiling, true);
  if (code === "throttled" || code === "dirty_tree") return later(reason, shortDelayMs.busy, true);
  // A missing key affects all of them; without a model, some can still be executed.
  if (code === "model_not_configured") {
    return later(reason, shortDelayMs.ceiling, detailsOf(error).concerns !== "task");
  }
  return null;
}

function onPublish({ error, reason }: TaskFailure, attempt: number): Verdict {
  const { files } = detailsOf(error);
  if (error.code === "dirty_tree") {
    const message =
      "Files of the site have uncommitted changes. Commit or revert them, then approve this.";
    const items = Array.isArray(files) ? files.map(String).slice(0, 20) : [];
    return { kind: "review", review: [{ kind: "dirty_tree", message, items }] };
  }
  // The work is paid for and ready; done again, it could meet the same.
  if (error.code === "disk_full" || error.code === "locked") {
    return { kind: "review", review: [{ kind: "not_published", message: reason, items: [] }] };
  }
  if (error.code === "invalid_state") return reverted(reason);
  // `main` or the records have changed: on the new version, it may merge or build again.
  if (error.code === "conflict" || error.code === "validation_failed") {
    return again(reason, attempt, "reverted");
  }
  return again(reason, attempt, "failed");
}

function onWork({ error, reason }: TaskFailure, attempt: number): Verdict {
  const { limit, refusal, tooLong, provider } = detailsOf(error);
  // Counts as an attempt, because the next one costs as much; so this ends at some point.
  if (ceilings.has(limit)) {
    return { ...again(reason, attempt, "failed"), waitMs: shortDelayMs.ceiling };
  }
  if (runLimits.has(limit) || refusal !== undefined || tooLong === true) return reverted(reason);
  if (errorResponses.has(error.code)) return reverted(reason);
  if (error.code === "disk_full") {
    return { ...again(reason, attempt, "failed"), waitMs: shortDelayMs.disk, forAll: true };
  }
  // Otherwise, the whole queue would fail within minutes while a provider is down.
  return { ...again(reason, attempt, "failed"), forAll: provider !== undefined };
}

/**
 * Decides what happens to a task after a failure. `attempt` counts from 1. Obstacles before the run
 * aren't attempts; those that may be temporary are retried after a wait; those that would
 * recur end the task.
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
