import { describe, expect, it } from "vitest";
import { AppError, type ErrorCode } from "../../../kit/errors.ts";
import { type TaskFailure, decideVerdict } from "./verdict.ts";

const minute = 60_000;

function after(
  stage: TaskFailure["stage"],
  code: ErrorCode,
  details?: Record<string, unknown>,
  attempt = 1,
) {
  const error = new AppError(code, "Why.", { details });
  return decideVerdict({ stage, how: "failed", error, reason: "Why." }, attempt);
}

describe("no attempt, because every task would meet the same", () => {
  it.each([
    ["edits by hand", "begin", "dirty_tree", undefined, minute / 2, true],
    ["too many runs", "begin", "throttled", undefined, minute / 2, true],
    ["the ceiling of the day", "begin", "throttled", { limit: "day" }, 15 * minute, true],
    ["the ceiling of the month", "begin", "throttled", { limit: "month" }, 15 * minute, true],
    ["a key that is missing", "begin", "model_not_configured", undefined, 15 * minute, true],
    ["a full disk", "begin", "disk_full", undefined, 5 * minute, true],
    ["git at work", "begin", "locked", undefined, minute / 2, false],
  ] as const)("%s (%s: %s)", (_, stage, code, details, waitMs, forAll) => {
    expect(after(stage, code, details, 3)).toMatchObject({
      kind: "queue",
      counts: false,
      reason: "Why.",
      waitMs,
      forAll,
    });
  });

  it("is a runner that stops, and waits for nothing", () => {
    const error = new AppError("internal", "x");
    expect(
      decideVerdict({ stage: "work", how: "interrupted", error, reason: "x" }, 1),
    ).toMatchObject({
      kind: "queue",
      counts: false,
      waitMs: 0,
    });
  });
});

describe("tried again, with a growing wait", () => {
  it.each([
    ["the provider failed", "work", "upstream_failed", { provider: 503 }, "failed"],
    ["the provider can't be reached", "work", "upstream_failed", { provider: null }, "failed"],
    ["nobody answers", "work", "unavailable", undefined, "failed"],
    ["the provider limits", "work", "throttled", undefined, "failed"],
    ["git at work", "work", "locked", undefined, "failed"],
    ["what nobody expects", "begin", "internal", undefined, "failed"],
    ["what nobody expects", "work", "internal", undefined, "failed"],
    ["a workspace that is gone", "publish", "not_found", undefined, "failed"],
    ["main has moved", "publish", "conflict", { files: ["a"] }, "reverted"],
    ["merged it doesn't build", "publish", "validation_failed", undefined, "reverted"],
  ] as const)("%s (%s: %s)", (_, stage, code, details, exhausted) => {
    // What is the provider's fault would be met by the next task as well.
    const forAll = details !== undefined && "provider" in details;
    const same = { kind: "queue", counts: true, reason: "Why.", exhausted, forAll };
    expect(after(stage, code, details, 1)).toEqual({ ...same, waitMs: minute / 2 });
    expect(after(stage, code, details, 2)).toEqual({ ...same, waitMs: 2 * minute });
    expect(after(stage, code, details, 7)).toEqual({ ...same, waitMs: 2 * minute });
  });

  it("is a ceiling met in the middle: it was paid for, so that it counts", () => {
    expect(after("work", "upstream_failed", { limit: "day" })).toMatchObject({
      kind: "queue",
      counts: true,
      waitMs: 15 * minute,
      exhausted: "failed",
    });
  });
});

describe("reverted at once, because it would come again", () => {
  it.each([
    ["a build that stays broken", "work", "validation_failed", { errors: ["x"] }],
    ["blank pages", "work", "validation_failed", { pages: ["/"] }],
    ["a change outside the write paths", "work", "dirty_tree", { files: ["x"] }],
    ["the agent declines", "work", "upstream_failed", { refusal: "No." }],
    ["its steps", "work", "upstream_failed", { limit: "steps" }],
    ["its minutes", "work", "upstream_failed", { limit: "minutes" }],
    ["its tokens", "work", "upstream_failed", { limit: "tokens" }],
    ["its cost", "work", "upstream_failed", { limit: "run-cost" }],
    ["it repeats itself", "work", "upstream_failed", { limit: "repetition" }],
    ["more than the model takes", "work", "upstream_failed", { tooLong: true, provider: 400 }],
    ["the literal editor doesn't understand", "work", "model_not_configured", undefined],
    ["an image that is gone", "begin", "validation_failed", undefined],
    ["nothing to publish", "publish", "invalid_state", undefined],
  ] as const)("%s", (_, stage, code, details) => {
    expect(after(stage, code, details)).toEqual({
      kind: "end",
      status: "reverted",
      error: "Why.",
    });
  });
});

it("a disk that fills up in the middle counts: the agent was paid, and no task could be finished", () => {
  expect(after("work", "disk_full")).toMatchObject({
    kind: "queue",
    counts: true,
    waitMs: 5 * minute,
    exhausted: "failed",
    forAll: true,
  });
});

it.each(["disk_full", "locked"] as const)("%s at the publish keeps the paid work", (code) => {
  expect(after("publish", code)).toEqual({
    kind: "review",
    review: [{ kind: "not_published", message: "Why.", items: [] }],
  });
});

it("edits by hand that come before the publish leave the work to a person", () => {
  const files = Array.from({ length: 30 }, (_, at) => `app/${at}`);
  expect(after("publish", "dirty_tree", { files })).toEqual({
    kind: "review",
    review: [{ kind: "dirty_tree", message: expect.any(String), items: files.slice(0, 20) }],
  });
});

it("keeps a reason short that names thousands of files", () => {
  const error = new AppError("dirty_tree", "x");
  const reason = `Edited by hand: ${"a/file, ".repeat(5000)}`;
  const verdict = decideVerdict({ stage: "begin", how: "failed", error, reason }, 1);
  if (verdict.kind !== "queue") throw new Error("it goes back to the queue");
  expect(verdict.reason).toBe(`${reason.slice(0, 600)}…`);
});

it("leaves alone what somebody else has ended", () => {
  const error = new AppError("internal", "x");
  expect(decideVerdict({ stage: "work", how: "lost", error, reason: "x" }, 1)).toEqual({
    kind: "leave",
  });
});
