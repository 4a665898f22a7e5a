import { expect, test } from "vitest";

import type { BuildReport, Run, RunEvent } from "../../api/types.ts";
import { applyEvents, applyRecord } from "./run-reducer.ts";
import type { RunView } from "./run-view.ts";
import { emptyView } from "./run-view.ts";

function view(...events: RunEvent[]): RunView {
  return applyEvents(emptyView, events, 1000);
}

function call(callId: string, tool: string, title: string): RunEvent {
  return { type: "tool.call", data: { callId, tool, title, input: {} } };
}

function result(callId: string, tool: string, title: string, error?: string): RunEvent {
  const data = { callId, tool, title, ok: error === undefined, durationMs: 300 };
  return { type: "tool.result", data: error === undefined ? data : { ...data, error } };
}

const file = {
  path: "app/src/pages/about.astro",
  added: 12,
  removed: 3,
  patch: "@@ -1 +1 @@\n-a\n+b",
};

test("consecutive reads become one step, a write starts a new one", () => {
  const { items } = view(
    call("1", "list", "Listed app/src"),
    result("1", "list", "Listed app/src"),
    call("2", "read", "Read about.astro"),
    call("3", "read", "Read index.astro"),
    result("3", "read", "Read index.astro"),
    result("2", "read", "Read about.astro"),
    call("4", "edit", "Edited About"),
    call("5", "read", "Read about.astro"),
  );
  expect(items.map((item) => item.kind)).toEqual(["explore", "tool", "explore"]);
  expect(items[0]).toMatchObject({
    calls: [{ state: "done" }, { state: "done" }, { state: "done" }],
  });
  expect(items[2]).toMatchObject({ calls: [{ state: "running" }] });
});

test("a changed file becomes the card of the call that changed it, before or after its result", () => {
  const changed: RunEvent = { type: "file.changed", data: file };
  const before = view(call("1", "edit", "Editing"), changed, result("1", "edit", "Edited About"));
  const after = view(call("1", "edit", "Editing"), result("1", "edit", "Edited About"), changed);
  expect(before.items).toEqual(after.items);
  expect(before.items).toMatchObject([
    { kind: "tool", title: "Edited About", state: "done", file, durationMs: 300 },
  ]);
  expect(view(changed).items).toMatchObject([{ kind: "tool", state: "done", file }]);
});

test("a refused call shows its reason", () => {
  const { items } = view(
    call("1", "write", "Writing"),
    result("1", "write", "Wrote", "outside the write paths"),
  );
  expect(items).toMatchObject([{ state: "failed", error: "outside the write paths" }]);
});

test("text grows with its deltas and is separated by steps", () => {
  const text = (piece: string): RunEvent => ({ type: "model.text", data: { text: piece } });
  const { items } = view(
    text("  "),
    text("I look "),
    text("first."),
    call("1", "read", "Read"),
    text("Done."),
  );
  expect(items).toMatchObject([{ text: "I look first." }, { kind: "explore" }, { text: "Done." }]);
});

test("each build attempt is its own step with log, errors, and pages", () => {
  const { items } = view(
    { type: "build.started", data: { attempt: 1 } },
    { type: "build.log", data: { line: "\u001b[31mbuilding\u001b[0m" } },
    { type: "build.failed", data: { attempt: 1, errors: ["Unknown component"] } },
    { type: "build.started", data: { attempt: 2 } },
    { type: "build.passed", data: { attempt: 2, pages: 14, bytes: 10, durationMs: 900 } },
  );
  expect(items).toMatchObject([
    { kind: "build", state: "failed", lines: ["building"], errors: ["Unknown component"] },
    { kind: "build", state: "done", attempt: 2, pages: 14, durationMs: 900 },
  ]);
});

test("a log of any length keeps its last 500 lines", () => {
  const lines = Array.from({ length: 1200 }, (_, line): RunEvent => ({
    type: "build.log",
    data: { line: `${line}` },
  }));
  const { items } = view({ type: "build.started", data: { attempt: 1 } }, ...lines);
  expect(items).toMatchObject([{ kind: "build" }]);
  expect(items[0]).toHaveProperty("lines.length", 500);
  expect(items[0]).toHaveProperty("lines.499", "1199");
});

test("the summary is shown once", () => {
  const files = [{ path: "a", added: 1, removed: 1 }];
  const ready: RunEvent = {
    type: "preview.ready",
    data: { previewUrl: "/_preview/1/", filesChanged: files, summary: "The title is new." },
  };
  expect(view(ready).items).toMatchObject([{ kind: "text", text: "The title is new." }]);
  expect(
    view({ type: "model.text", data: { text: "The title is new." } }, ready).items,
  ).toHaveLength(1);
  expect(view(ready)).toMatchObject({ status: "preview_ready", previewUrl: "/_preview/1/", files });
});

test("when a run ends, no step keeps running", () => {
  const ended = view(
    call("1", "read", "Reading"),
    { type: "build.started", data: { attempt: 1 } },
    { type: "run.finished", data: { status: "cancelled" } },
  );
  expect(ended.status).toBe("cancelled");
  expect(ended.items).toMatchObject([{ calls: [{ state: "stopped" }] }, { state: "stopped" }]);
});

test("a failure keeps its message, a publish its commit", () => {
  expect(
    view({ type: "run.finished", data: { status: "failed", error: "Too many steps" } }),
  ).toMatchObject({
    status: "failed",
    error: "Too many steps",
  });
  expect(
    view({ type: "run.finished", data: { status: "published", commit: "abc1234" } }).commit,
  ).toBe("abc1234");
});

test("the view is the same whether events arrive together or one by one", () => {
  const events: RunEvent[] = [
    { type: "run.started", data: { instruction: "x", model: "m", actor: "Editor" } },
    { type: "run.status", data: { status: "running" } },
    call("1", "read", "Read"),
    { type: "model.text", data: { text: "a" } },
    { type: "usage", data: { inputTokens: 1, outputTokens: 2, cost: null, steps: 1 } },
  ];
  const single = events.reduce((before, event) => applyEvents(before, [event], 1000), emptyView);
  expect(single).toEqual(view(...events));
});

const report: BuildReport = {
  pages: 3,
  findings: [
    {
      check: "a11y.contrast",
      category: "accessibility",
      severity: "error",
      page: "/about/",
      target: null,
      message: "pale \u001b[31mtext\u001b[0m",
    },
  ],
  added: { error: 1, warning: 0, notice: 0 },
  fixed: 0,
  brokenLinks: 0,
  bytes: { before: 1, after: 2 },
  blank: [],
};

test("the owner's message waits, and appears in the log where the agent read it", () => {
  const queued: RunEvent = { type: "message.queued", data: { id: 1, text: "Also the footer." } };
  const heard: RunEvent = { type: "message.delivered", data: { id: 1, text: "Also the footer." } };
  expect(view(queued)).toMatchObject({ items: [], waiting: [{ id: 1, text: "Also the footer." }] });
  const { items, waiting } = view(
    call("1", "edit", "Editing"),
    queued,
    result("1", "edit", "Edited About"),
    heard,
    call("2", "edit", "Editing"),
  );
  expect(items.map((item) => item.kind)).toEqual(["tool", "message", "tool"]);
  expect(waiting).toEqual([]);
  const back: RunEvent = { type: "message.withdrawn", data: { id: 1 } };
  expect(view(queued, back)).toMatchObject({ items: [], waiting: [] });
});

test("checking the built pages is a step, and its findings are those of the last build", () => {
  const started = view({ type: "checks.started", data: {} });
  expect(started.items).toMatchObject([{ kind: "checks", state: "running", report: null }]);
  const done: RunEvent = { type: "checks.done", data: report };
  const looked = view({ type: "checks.started", data: {} }, done);
  expect(looked.items).toMatchObject([{ kind: "checks", state: "done", report: { pages: 3 } }]);
  expect(looked.checks?.added.error).toBe(1);
  const again = view({ type: "checks.started", data: {} }, done, {
    type: "checks.started",
    data: {},
  });
  expect(again).toMatchObject({ checks: null, items: [{ state: "done" }, { state: "running" }] });
  const blank = view({ type: "checks.done", data: { ...report, blank: ["/about/"] } });
  expect(blank.items).toMatchObject([{ state: "failed" }]);
});

test("abuse 69: text in messages, findings, and files is inert wherever it is shown", () => {
  const text = "<b>x</b>\u001b[2J\u202Etxt";
  const clean = "<b>x</b>[U+202E]txt";
  const shown = view(
    { type: "message.queued", data: { id: 1, text } },
    { type: "message.delivered", data: { id: 1, text } },
    { type: "file.changed", data: { ...file, path: text, patch: text } },
    { type: "checks.done", data: report },
    { type: "error", data: { message: text } },
  );
  expect(shown.items).toMatchObject([
    { text: clean },
    { file: { path: clean, patch: clean } },
    { report: { findings: [{ message: "pale text" }] } },
    { text: clean },
  ]);
});

test("an unknown kind of event changes nothing", () => {
  const unknown = { type: "run.sparkled", data: {} } as unknown as RunEvent;
  expect(view(unknown)).toEqual({ ...emptyView, lastEventAt: 1000 });
});

test("the API's response overrides the last event", () => {
  const run = {
    status: "published",
    instruction: "x",
    filesChanged: [],
    commit: "abc",
    error: null,
  } as unknown as Run;
  const before = view({ type: "run.status", data: { status: "publishing" } });
  expect(applyRecord(before, run)).toMatchObject({ status: "published", commit: "abc" });
});

test("the files that blocked publishing are known after a reload, until the reason changes", () => {
  const refused: RunEvent[] = [
    { type: "run.status", data: { status: "preview_ready" } },
    { type: "error", data: { message: "In the way: a.json.", conflict: ["a.json"] } },
  ];
  expect(view(...refused)).toMatchObject({ status: "preview_ready", conflict: ["a.json"] });
  const other: RunEvent = { type: "error", data: { message: "The disk is full." } };
  expect(view(...refused, other).conflict).toEqual([]);
});
