import { expect, test } from "vitest";

import type { Task, TaskBoard, TaskRun } from "../../api/types.ts";
import { describeBoardChanges } from "./board-changes.ts";
import { columnPreview } from "./column-preview.ts";
import {
  attemptLabel,
  columns,
  costLabel,
  filesLabel,
  kindLabel,
  originOf,
  pageOf,
  priorityLabel,
  projectStatusLabel,
  taskStatusLabel,
  stepLabel,
  titleOf,
} from "./labels.ts";
import { boardInterval, slowIntervalMs, fastIntervalMs, taskInterval } from "./polling.ts";
import { nextStepText } from "./status-text.ts";
import { cardTime, formatElapsed, runTime, formatSince, formatUntil } from "./task-times.ts";

const at = (time: string): string => `2026-11-21T${time}.000Z`;
const now = Date.parse(at("10:00:00"));

function run(part: Partial<TaskRun> = {}): TaskRun {
  return {
    id: "01RUN",
    attempt: 1,
    status: "running",
    step: null,
    filesChanged: [],
    summary: "",
    error: null,
    model: "literal",
    inputTokens: 0,
    outputTokens: 0,
    cost: null,
    currency: null,
    previewUrl: null,
    createdAt: at("09:58:00"),
    startedAt: at("09:58:01"),
    finishedAt: null,
    ...part,
  };
}

function task(part: Partial<Task> = {}): Task {
  return {
    id: 41,
    kind: "edit",
    title: "Bigger cards",
    instruction: "Make the cards bigger.",
    pageUrl: null,
    projectId: null,
    projectStatus: null,
    findingId: null,
    attachments: [],
    priority: 0,
    status: "queued",
    attempts: 0,
    maxAttempts: 3,
    waiting: null,
    claimedBy: null,
    leaseExpiresAt: null,
    run: null,
    commit: null,
    error: null,
    review: [],
    scope: {
      pages: [],
      kinds: ["text"],
      style: [],
      isMinorEdit: false,
      allowsRemovals: false,
      quotes: [],
      keywords: [],
      targets: [],
      allowsSeveralParts: false,
      allowedFacts: [],
      rewrites: [],
      dictatedPieces: [],
      isDictation: false,
      isAddition: false,
      only: { links: null, images: null, misspelledWords: null },
    },
    scopeSummary: "May change without review: text on one page.",
    approvedAt: null,
    actor: "Maja",
    createdAt: at("09:55:00"),
    updatedAt: at("09:55:00"),
    startedAt: null,
    finishedAt: null,
    ...part,
  };
}

const columnOf = {
  queued: "queued",
  claimed: "running",
  building: "running",
  needs_review: "needs_review",
  published: "published",
  reverted: "ended",
  failed: "ended",
  cancelled: "ended",
} as const;

function board(...tasks: Task[]): TaskBoard {
  return {
    columns: columns.map(({ column }) => {
      const items = tasks.filter(({ status }) => columnOf[status] === column);
      return { column, total: items.length, items };
    }),
    paused: false,
    runners: 1,
    now: at("10:00:00"),
  };
}

test.each([
  [-5, "0 s"],
  [12_400, "12 s"],
  [60_000, "1 min"],
  [245_000, "4 min 5 s"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [86_400_000, "1 day"],
  [3 * 86_400_000 + 1, "3 days"],
])("%d ms are shown as %s", (ms, words) => {
  expect(formatElapsed(ms)).toBe(words);
});

test("long durations are rounded, so that they stay the same for a minute", () => {
  expect([0, 59_000, 60_000, 3_600_000, 2 * 86_400_000].map(formatSince)).toEqual([
    "just now",
    "just now",
    "1 min ago",
    "1 h ago",
    "2 days ago",
  ]);
});

test("a card shows the time relevant for its state", () => {
  expect(cardTime(task(), now)).toBe("waits 5 min");
  // The time of a state begins with it, also where the task was tried before.
  const again = { updatedAt: at("09:59:58"), startedAt: at("09:00:00"), run: run() };
  expect(cardTime(task({ ...again, status: "claimed" }), now)).toBe("2 s");
  expect(cardTime(task(again), now)).toBe("waits 2 s");
  // The newest attempt counts, not the first.
  const building = task({ status: "building", startedAt: at("09:00:00"), run: run() });
  expect(cardTime(building, now)).toBe("1 min 59 s");
  expect(cardTime(task({ status: "building" }), now)).toBeNull();
  expect(cardTime(task({ status: "published", finishedAt: at("08:00:00") }), now)).toBe("2 h ago");
  expect(runTime(run({ finishedAt: at("09:58:31") }), now)).toBe("30 s");
  expect(runTime(run({ startedAt: null }), now)).toBeNull();
  expect([formatUntil(at("10:00:25"), now), formatUntil(at("09:00:00"), now)]).toEqual([
    "in 25 s",
    "now",
  ]);
});

test("origin, attempts, priority, and files on a card", () => {
  expect(originOf(task())).toBe("Maja");
  expect(originOf(task({ findingId: 3, actor: "qa" }))).toBe("QA finding #3");
  expect([attemptLabel(task({ attempts: 1 })), attemptLabel(task({ attempts: 2 }))]).toEqual([
    null,
    "Attempt 2 of 3",
  ]);
  expect([-1, 0, 1].map(priorityLabel)).toEqual(["Low priority", null, "High priority"]);
  const one = { path: "app/src/pages/about.astro", added: 9, removed: 5 };
  expect(filesLabel(run({ filesChanged: [one] }))).toBe("+9 −5 in about.astro");
  expect(filesLabel(run({ filesChanged: [one, one] }))).toBe("+18 −10 in 2 files");
  expect([filesLabel(null), filesLabel(run())]).toEqual([null, null]);
});

test("a title with bidirectional characters, or an empty one, is shown safely", () => {
  expect(titleOf(task({ title: "a\u202eb" }))).toBe("a[U+202E]b");
  expect(titleOf(task({ title: " " }))).toBe("Task #41");
});

test("a state has a name, and a running task its step", () => {
  expect(taskStatusLabel(task({ status: "needs_review" }))).toBe("Needs review");
  const approved = task({ status: "needs_review", approvedAt: at("09:59:59") });
  expect([taskStatusLabel(approved), stepLabel(approved)]).toEqual(["Publishing…", "Publishing…"]);
  const stopping = task({ status: "cancelled", run: run() });
  expect([taskStatusLabel(stopping), stepLabel(stopping)]).toEqual(["Stopping…", "Stopping…"]);
  expect(taskStatusLabel(task({ status: "cancelled", run: run({ status: "cancelled" }) }))).toBe(
    "Cancelled",
  );
  expect(stepLabel(task({ status: "building", run: run({ step: "Editing about.astro" }) }))).toBe(
    "Editing about.astro",
  );
  expect(stepLabel(task({ status: "building", run: run({ status: "building" }) }))).toBe(
    "Building preview",
  );
  expect(stepLabel(task())).toBeNull();
});

test("what happens next with a queued task depends on what holds it up", () => {
  const free = { paused: false, runners: 1 };
  expect(nextStepText(task(), free, now)).toMatch(/starts automatically/);
  expect(nextStepText(task(), { paused: true, runners: 1 }, now)).toMatch(/queue is paused/);
  expect(nextStepText(task(), { paused: true, runners: 0 }, now)).toMatch(/No runner is active/);
  const waiting = { reason: "The budget is reached", until: at("10:15:00") };
  expect(nextStepText(task({ waiting }), free, now)).toBe(
    "Waiting: The budget is reached. Next attempt in 15 min.",
  );
});

test("the board refreshes every 2 s while something changes in a visible tab, otherwise every 10 s", () => {
  expect(boardInterval(board(task()), true)).toBe(fastIntervalMs);
  expect(boardInterval(board(task({ status: "building" })), true)).toBe(fastIntervalMs);
  expect(boardInterval(board(task()), false)).toBe(slowIntervalMs);
  expect(boardInterval(board(task({ status: "published" })), true)).toBe(slowIntervalMs);
  expect(boardInterval(undefined, true)).toBe(slowIntervalMs);
  const review = task({ status: "needs_review" });
  expect(taskInterval(review, true)).toBe(slowIntervalMs);
  // Until it is live, what was approved moves; so does a run that is being stopped.
  expect(taskInterval({ ...review, approvedAt: at("09:59:59") }, true)).toBe(fastIntervalMs);
  expect(taskInterval(task({ status: "cancelled", run: run() }), true)).toBe(fastIntervalMs);
});

test("changes are announced once, several tasks by their number", () => {
  const before = board(task(), task({ id: 42, title: "Other" }));
  expect(describeBoardChanges(before, before)).toBeNull();
  // A claim is passed through in a moment, and a new task is told by who made it.
  expect(
    describeBoardChanges(
      before,
      board(task({ status: "claimed" }), task({ id: 42 }), task({ id: 43 })),
    ),
  ).toBeNull();
  expect(
    describeBoardChanges(
      before,
      board(task({ status: "needs_review" }), task({ id: 42, title: "Other", status: "failed" })),
    ),
  ).toBe("“Bigger cards” needs review. “Other” failed.");
  // Nothing is told of a task that was not on the board before.
  expect(describeBoardChanges(board(), board(task({ status: "needs_review" })))).toBeNull();
  const ends = new Set(["failed"] as const);
  const ended = board(
    task({ status: "building" }),
    task({ id: 42, title: "Other", status: "failed" }),
  );
  expect(describeBoardChanges(before, ended, ends)).toBe("“Other” failed.");
  const many = [1, 2, 3, 4].map((id) => task({ id }));
  const after = many.map((one) => ({ ...one, status: "building" as const }));
  expect(describeBoardChanges(board(...many), board(...after))).toBe("4 tasks moved.");
});

test("an amount without a known currency is called a cost", () => {
  expect(costLabel(run({ cost: 0.0012, currency: null }))).toBe("cost 0.0012");
  expect(costLabel(run({ cost: 0.5, currency: "EUR" }))).not.toMatch(/cost/);
  expect(costLabel(run())).toBeNull();
  expect(costLabel(null)).toBeNull();
});

test("a rejected preview is discarded, a stopped task cancelled", () => {
  const dropped = { status: "cancelled", run: run({ status: "discarded" }) } as const;
  expect(taskStatusLabel(task(dropped))).toBe("Discarded");
  expect(taskStatusLabel(task({ status: "cancelled" }))).toBe("Cancelled");
});

test("the owner's own worker is named, a runner isn't", () => {
  const held = task({ status: "claimed", claimedBy: "my-agent" });
  expect([taskStatusLabel(held), stepLabel(held)]).toEqual([
    "Running",
    "my-agent is working on it",
  ]);
  expect(nextStepText(held, null, now)).toMatch(/^my-agent is working on it/);
  const runner = task({ status: "claimed", claimedBy: "01M7ZHKADGP3CNRTCMWRD79YGV" });
  expect([taskStatusLabel(runner), stepLabel(runner)]).toEqual(["Starting", "Starting"]);
});

test("a column of finished tasks starts with the newest, other columns show all", () => {
  const many = Array.from({ length: 40 }, (_, index) => task({ id: 40 - index }));
  expect(columnPreview("published", many).map(({ id }) => id)).toEqual([
    40, 39, 38, 37, 36, 35, 34, 33,
  ]);
  expect(columnPreview("ended", many)).toHaveLength(8);
  expect(columnPreview("published", many.slice(0, 10))).toHaveLength(10);
  for (const column of ["queued", "running", "needs_review"] as const) {
    expect(columnPreview(column, many)).toHaveLength(40);
  }
});

test("a task for a new case study says what becomes of it", () => {
  const drafted = task({ kind: "project", projectStatus: "draft", status: "published" });
  expect([kindLabel(drafted), kindLabel(drafted, "short")]).toEqual([
    "New case study",
    "Case study",
  ]);
  expect([taskStatusLabel(drafted), projectStatusLabel(drafted)]).toEqual([
    "Draft saved",
    "Save as draft",
  ]);
  expect(nextStepText(drafted, null, now)).toBe(
    "The draft is under Projects. Visitors can’t see it.",
  );
  const live = { ...drafted, projectStatus: "published" } as const;
  expect([taskStatusLabel(live), projectStatusLabel(live)]).toEqual(["Published", "Publish"]);
  const other = task({ kind: "project" });
  expect([kindLabel(other), projectStatusLabel(other)]).toEqual(["Project page", null]);
});

test("the page of a new case study is the one that its run makes; a draft has none", () => {
  const filesChanged = [{ path: "projects/quay-lights", added: 3, removed: 0 }];
  const waits = task({ projectStatus: "published", run: run({ filesChanged }) });
  expect(pageOf({ ...waits, project: null })).toBe("/projects/quay-lights/");
  const project = { id: 1, slug: "quay-lights-2", name: "Quay lights" };
  expect(pageOf({ ...waits, project })).toBe("/projects/quay-lights-2/");
  expect(pageOf({ ...waits, projectStatus: "draft", project })).toBe("/");
  expect(pageOf({ ...waits, projectStatus: null, project: null })).toBe("/");
});
