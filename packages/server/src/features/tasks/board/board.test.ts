import { describe, expect, test } from "vitest";
import { dialects } from "../../../../../../test/support/postgres.ts";
import { type TasksApp, useTasksApp } from "../../../../../../test/support/tasks-app.ts";
import { isoTime } from "../../../kit/time.ts";
import { insertUse } from "../../agent/ledger/store.ts";
import { endClaim, requeue } from "../queue/claim.ts";
import { boardRows } from "./list-store.ts";
import {
  type TaskBoard,
  type TaskCounts,
  type TaskDetail,
  taskStatus,
  type TaskStatus,
} from "../schema.ts";

const all = taskStatus.options;
const review = [{ kind: "script" as const, message: "Adds a script.", items: ["/a.js"] }];

describe.each(dialects)("how tasks are shown on %s", (dialect) => {
  let app: TasksApp;
  const at = () => isoTime(app.clock.now());

  useTasksApp(dialect, (made) => (app = made));

  describe("what a task tells of its run", () => {
    test("the newest run with its files, cost, currency and preview", async () => {
      const { id } = await app.create();
      const first = await app.claim();
      await app.start(first, "failed", { error: "The build was refused." });
      const giving = { reason: "Another try", waitMs: 30_000, counts: true };
      const rest = { at: at(), maxAttempts: 3, exhausted: "failed" } as const;
      await requeue(app.db, first, giving, rest);
      const waits = (await app.ask<TaskDetail>(`/get?id=${id}`)).data;
      expect(waits).toMatchObject({
        status: "queued",
        attempts: 1,
        waiting: { reason: "Another try", until: expect.stringMatching(/Z$/) },
        run: { status: "failed", attempt: 1, error: "The build was refused.", step: null },
      });

      await app.ask("/cancel", { id });
      await app.ask("/retry", { id });
      app.clock.advance(10);
      const second = await app.claim();
      const runId = await app.start(second, "preview_ready", {
        artifact_sha: "f".repeat(64),
        files_changed: JSON.stringify([{ path: "app/src/a.astro", added: 2, removed: 1 }]),
        summary: "Made it blue",
        input_tokens: 10,
        output_tokens: 5,
        cost: 0.5,
      });
      const use = { at: at(), purpose: "edit", runId, model: "test", inputTokens: 10 } as const;
      await insertUse(app.db, {
        ...use,
        cachedTokens: 0,
        outputTokens: 5,
        cost: 0.5,
        currency: "EUR",
      });
      await endClaim(app.db, second, { status: "needs_review", review }, at());
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data).toMatchObject({ status: "needs_review", attempts: 1, review });
      expect(data.run).toEqual({
        id: runId,
        attempt: 1,
        status: "preview_ready",
        step: null,
        filesChanged: [{ path: "app/src/a.astro", added: 2, removed: 1 }],
        summary: "Made it blue",
        error: null,
        model: "test",
        inputTokens: 10,
        outputTokens: 5,
        cost: 0.5,
        currency: "EUR",
        previewUrl: `/_preview/${runId}/`,
        createdAt: at(),
        startedAt: null,
        finishedAt: null,
      });
      expect(data.runs.map((run) => run.status)).toEqual(["preview_ready", "failed"]);
      expect(data.events.map((event) => event.type)).toEqual([
        "created",
        "requeued",
        "cancelled",
        "retried",
        "needs_review",
      ]);
    });

    test("what it does right now, out of the last of very many events", async () => {
      const { id } = await app.create();
      const runId = await app.start(await app.claim(), "running");
      const step = async () => (await app.ask<TaskDetail>(`/get?id=${id}`)).data.run?.step;
      expect(await step()).toBe("Thinking");
      const call = (title: string) => ({ callId: "1", tool: "read", title, input: {} });
      app.events.emit(runId, { type: "tool.call", data: call("Reading app/src/a.astro") });
      app.events.emit(runId, { type: "model.text", data: { text: "Let me see" } });
      await app.events.flush(runId);
      expect(await step()).toBe("Reading app/src/a.astro");
      app.events.emit(runId, { type: "build.started", data: { attempt: 1 } });
      for (let i = 0; i < 100; i += 1) {
        app.events.emit(runId, { type: "build.log", data: { line: "x" } });
      }
      await app.events.flush(runId);
      expect(await step()).toBe("Building the site");
      app.events.emit(runId, { type: "checks.started", data: {} });
      await app.events.flush(runId);
      expect(await step()).toBe("Checking the pages");
      app.events.emit(runId, { type: "tool.call", data: call("\u202E\n".repeat(9)) });
      await app.events.flush(runId);
      expect(await step()).toBe("Working");
      await app.ask("/cancel", { id });
      expect(await step()).toBeNull();
    });
  });

  describe("the board", () => {
    const board = (etag?: string) =>
      app.ask<TaskBoard>("/board", undefined, {
        ...app.session,
        ...(etag ? { "if-none-match": etag } : {}),
      });

    test("shows each state in its column, what is next first, then the newest", async () => {
      const ids: Partial<Record<TaskStatus, number>> = {};
      for (const status of all.toReversed()) {
        ids[status] = await app.taskIn(status);
        app.clock.advance(1000);
      }
      const urgent = (await app.create({ priority: 1 })).id;
      app.runners = 2;
      const { status, data } = await board();
      expect(status).toBe(200);
      expect(data).toMatchObject({ paused: false, runners: 2, now: at() });
      const shown = data.columns.map(({ column, total, items }) => [
        column,
        total,
        items.map(({ id }) => id),
      ]);
      expect(shown).toEqual([
        ["queued", 2, [urgent, ids.queued]],
        ["running", 2, [ids.claimed, ids.building]],
        ["needs_review", 1, [ids.needs_review]],
        ["published", 1, [ids.published]],
        ["ended", 3, [ids.reverted, ids.failed, ids.cancelled]],
      ]);
    });

    test("shows and counts a task that moves meanwhile in one column", async () => {
      for (let number = 0; number < 4; number += 1) await app.create();
      const checks = Array.from({ length: 4 }, () =>
        Promise.all([boardRows(app.db), app.claim()]).then(([columns]) => columns),
      );
      for (const columns of await Promise.all(checks)) {
        expect(columns.map(({ total }) => total)).toEqual(columns.map(({ rows }) => rows.length));
        const ids = columns.flatMap(({ rows }) => rows.map(({ id }) => id));
        expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
        expect(ids).toHaveLength(4);
      }
    });

    test("answers 304 until anything that it shows has changed", async () => {
      const known = new Set<string>();
      let etag = "";
      const changed = async (what: string) => {
        const response = await board(etag);
        etag = String(response.headers["etag"]);
        expect([what, response.status, known.has(etag)]).toEqual([what, 200, false]);
        known.add(etag);
        app.clock.advance(5);
        const again = await board(`W/"other", W/${etag}`);
        expect([what, again.status, again.text]).toEqual([what, 304, ""]);
        expect(again.headers).toMatchObject({ etag, "cache-control": "no-store" });
      };
      await changed("nothing there");
      const { id } = await app.create();
      await changed("a task");
      await app.ask("/pause", {});
      await changed("paused");
      app.runners = 0;
      await changed("no runner");
      const claim = await app.claim();
      await changed("claimed");
      const runId = await app.start(claim);
      await changed("begun");
      app.events.emit(runId, { type: "build.started", data: { attempt: 1 } });
      await app.events.flush(runId);
      await changed("a step");
      await app.events.transition(runId, ["running"], {
        status: "building",
        input_tokens: 9,
      });
      await changed("the run's state");
      await endClaim(app.db, claim, { status: "needs_review", review }, at());
      await changed("to review");
      await app.ask("/cancel", { id });
      await changed("cancelled");
    });

    test("takes no question", async () => {
      expect((await app.ask("/board?all=1")).status).toBe(422);
    });
  });

  test("counts, pauses and resumes", async () => {
    for (const status of ["claimed", "building", "needs_review", "failed", "queued"] as const) {
      await app.taskIn(status);
    }
    const counts = async () => (await app.ask<TaskCounts>("/counts")).data;
    expect(await counts()).toEqual({ queued: 1, running: 2, needsReview: 1, paused: false });
    app.wakeCount.times = 0;
    expect((await app.ask("/pause", {})).data).toEqual({ paused: true });
    expect((await counts()).paused).toBe(true);
    expect(await app.pause.get()).toBe(true);
    expect(app.wakeCount.times).toBe(0);
    expect((await app.ask("/resume", {})).data).toEqual({ paused: false });
    expect((await counts()).paused).toBe(false);
    expect(app.wakeCount.times).toBe(1);
    expect((await app.ask("/pause", { paused: false })).status).toBe(422);
    expect((await app.ask("/pause", [])).status).toBe(422);
  });
});
