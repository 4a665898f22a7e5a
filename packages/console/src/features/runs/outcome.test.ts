import { expect, test } from "vitest";

import type { Run, RunStatus } from "../../api/types.ts";
import { isStoppable, outcomeOf } from "./outcome.ts";
import { emptyView } from "./run-view.ts";

const files = [
  { path: "a", added: 4, removed: 5 },
  { path: "b", added: 5, removed: 0 },
];
const run = { mode: "build", previewUrl: "/_preview/1/" } as unknown as Run;

function outcome(status: RunStatus, extra: object = {}, record: Run | null = run) {
  return outcomeOf({ ...emptyView, status, files, ...extra }, record, null);
}

test("each state has a name and an explanation", () => {
  expect(outcome("preview_ready")).toEqual({
    word: "Preview ready",
    detail: "2 files, +9 −5, not live",
  });
  expect(outcome("published", { commit: "abcdef0123" })).toEqual({
    word: "Live",
    detail: "abcdef0 · 2 files, +9 −5",
  });
  expect(outcome("failed", { error: "\nNo such page\nat x" })).toEqual({
    word: "Failed",
    detail: "No such page",
  });
  expect(outcome("cancelled").word).toBe("Stopped");
});

test("an answered question and an instruction without effect aren't called discarded", () => {
  const ask = { ...run, mode: "ask", previewUrl: null } as Run;
  expect(outcome("discarded", { files: [] }, ask).word).toBe("Answered");
  expect(outcome("discarded", { files: [] }, { ...run, previewUrl: null } as Run).word).toBe(
    "No changes",
  );
  expect(outcome("discarded").word).toBe("Discarded");
});

test("an interrupted run says why, and a run is stopping until all of it has ended", () => {
  const error = "The run reached its ceiling of 400,000 tokens.\nWhat it did is kept.";
  expect(outcome("interrupted", { error })).toEqual({ word: "Stopped", detail: error });
  expect(outcomeOf({ ...emptyView, status: "cancelled" }, run, "cancel").word).toBe("Stopping…");
});

test("publishing can't be stopped", () => {
  expect(isStoppable("building")).toBe(true);
  expect(isStoppable("publishing")).toBe(false);
  expect(isStoppable("preview_ready")).toBe(false);
});
