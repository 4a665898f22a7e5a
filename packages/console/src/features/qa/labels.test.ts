import { expect, it } from "vitest";

import {
  changeLabel,
  countsLabel,
  extentLabel,
  fixAnnouncement,
  linkTo,
  nextRunText,
  runAnnouncement,
  triggerLabel,
  ignoreUntil,
} from "./labels.ts";

const now = Date.parse("2026-11-21T10:00:00.000Z");
const later = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

it("counts by severity and leaves out zeros", () => {
  expect(countsLabel({ error: 1, warning: 0, notice: 3 })).toBe("1 error, 3 notices");
  expect(countsLabel({ error: 0, warning: 0, notice: 0 })).toBe("nothing");
});

it("counts links only if they were checked", () => {
  const run = { pages: 14, links: 120, browserPages: 1, isUnchanged: false };
  expect(extentLabel(run)).toBe("14 pages, 120 links, 1 page in a browser");
  expect(extentLabel({ ...run, links: 2, browserPages: 0, isUnchanged: true })).toBe("14 pages");
  expect(extentLabel({ ...run, links: 0, browserPages: 0 })).toBe("14 pages");
});

it("says who or what started a QA run", () => {
  expect(triggerLabel({ trigger: "heartbeat", requestedBy: "heartbeat" })).toBe("automatically");
  expect(triggerLabel({ trigger: "task", requestedBy: "queue" })).toBe("after a task");
  expect(triggerLabel({ trigger: "manual", requestedBy: "Ada" })).toBe("by Ada");
});

it("says when the next QA run starts, or why none does", () => {
  const overview = { nextRunAt: later(43), intervalMinutes: 60, currentRun: null };
  expect(nextRunText(overview, now)).toBe("The next QA run starts in 43 min, then every hour.");
  expect(nextRunText({ ...overview, nextRunAt: later(0) }, now)).toContain("in a moment");
  expect(nextRunText({ ...overview, intervalMinutes: 90 }, now)).toContain("every 1 h 30 min");
  expect(nextRunText({ ...overview, nextRunAt: null }, now)).toContain("no runner is active");
  expect(nextRunText({ ...overview, nextRunAt: null, intervalMinutes: 0 }, now)).toContain(
    "are off",
  );
});

it("describes the result of a QA run", () => {
  const counts = { error: 2, warning: 0, notice: 0 };
  const run = {
    status: "finished" as const,
    counts,
    newFindings: 1,
    fixedFindings: 2,
    reopenedFindings: 0,
  };
  expect(runAnnouncement(run)).toBe("QA run finished: 2 errors open (1 new, 2 fixed).");
  expect(runAnnouncement({ ...run, status: "aborted" })).toBe("The QA run was stopped.");
  expect(changeLabel({ newFindings: 0, fixedFindings: 0, reopenedFindings: 0 })).toBeNull();
});

it("describes the state of requested fixes", () => {
  expect(fixAnnouncement([{ id: 41, status: "queued" }])).toBe("Queued as task #41.");
  expect(fixAnnouncement([{ id: 41, status: "queued", isNoteFollowed: false }])).toBe(
    "Queued as task #41. Your instruction needs a model and won’t be followed.",
  );
  const tasks = [
    { id: 41, status: "queued" },
    { id: 41, status: "queued" },
    { id: 40, status: "published" },
    { id: 42, status: "queued" },
    { id: 39, status: "building" },
  ] as const;
  expect(fixAnnouncement(tasks)).toBe(
    "Queued as tasks #41, #42. Task #40 is live. The next QA run checks whether it worked. " +
      "Task #39 is working on it.",
  );
});

it("links only to web pages and this site", () => {
  expect(linkTo("/about/")).toBe("/about/");
  expect(linkTo("https://example.com/")).toBe("https://example.com/");
  for (const address of ["//evil.example/", "/\\evil.example", "javascript:alert(1)", "about"]) {
    expect(linkTo(address)).toBeNull();
  }
});

it("ignores for a week, a month, or permanently", () => {
  expect(ignoreUntil("week", now)).toBe("2026-11-28T10:00:00.000Z");
  expect(ignoreUntil("month", now)).toBe("2026-12-21T10:00:00.000Z");
  expect(ignoreUntil("good", now)).toBeNull();
});
