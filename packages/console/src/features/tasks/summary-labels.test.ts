import { expect, test } from "vitest";

import type { Task } from "../../api/types.ts";
import {
  changedFilesLabel,
  summaryLine,
  queueBlockedText,
  taskStatusOf,
} from "./summary-labels.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const nothing = { run: null, waiting: null, error: null, approvedAt: null, attempts: 1 };
const taskWith = (part: object): Task => ({ ...nothing, maxAttempts: 3, ...part }) as Task;
const run = { status: "running", step: "Editing About", filesChanged: [] };
const files = [{ path: "app/src/pages/about.astro", added: 9, removed: 5 }];

test("a rejected preview is discarded, not cancelled", () => {
  const dropped = taskWith({ status: "cancelled", run: { ...run, status: "discarded" } });
  expect(taskStatusOf(dropped).label).toBe("Discarded");
  expect(taskStatusOf(taskWith({ status: "cancelled" })).label).toBe("Cancelled");
});

test("an approved task no longer needs the owner", () => {
  const task = taskWith({ status: "needs_review", run: { ...run, status: "preview_ready" } });
  expect(taskStatusOf(task)).toMatchObject({ label: "Needs review", icon: "eye" });
  const approved = { ...task, approvedAt: "2026-11-21T11:59:00.000Z" };
  expect(taskStatusOf(approved)).toMatchObject({ icon: null, variant: "publishing" });
});

test("says what a task does, why it waits, and its result", () => {
  const line = (part: object) => summaryLine(taskWith(part), null, now);
  expect(line({ status: "building", run, attempts: 2 })).toBe("Editing About · Attempt 2 of 3");
  const waiting = { reason: "index.astro was edited by hand", until: "2026-11-21T12:00:25.000Z" };
  expect(line({ status: "queued", waiting })).toMatch(/edited by hand\..* in 25 s/);
  expect(line({ status: "queued" })).toBe("");
  expect(line({ status: "reverted", error: "\nNo such page.\nstack" })).toBe("No such page.");
  expect(line({ status: "failed" })).toBe("No reason was recorded.");
  expect(line({ status: "needs_review", error: "Others changed it." })).toContain("Others");
});

test("what is ready for review is said not to be live", () => {
  const changed = { ...run, filesChanged: files };
  expect(changedFilesLabel(taskWith({ status: "needs_review", run: changed }))).toBe(
    "1 file, +9 −5, not live",
  );
  expect(changedFilesLabel(taskWith({ status: "published", run: changed }))).toBe("1 file, +9 −5");
  expect(changedFilesLabel(taskWith({ status: "building", run }))).toBeNull();
});

test("says why no task starts: a missing runner comes before a pause", () => {
  expect(queueBlockedText({ paused: true, runners: 0 })).toMatch(/runner/);
  expect(queueBlockedText({ paused: true, runners: 1 })).toMatch(/paused/);
  expect(queueBlockedText({ paused: false, runners: 1 })).toBeNull();
});
