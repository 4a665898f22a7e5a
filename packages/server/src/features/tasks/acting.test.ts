import { describe, expect, test } from "vitest";
import { dialects } from "../../../../../test/support/postgres.ts";
import { type TasksApp, useTasksApp } from "../../../../../test/support/tasks-app.ts";
import { isoTime } from "../../kit/time.ts";
import { compareAndSetStatus } from "../runs/store.ts";
import { endClaim } from "./queue/claim.ts";
import { type Task, type TaskDetail, taskStatus, type TaskStatus } from "./schema.ts";
import { findTask } from "./store.ts";

const all = taskStatus.options;

describe.each(dialects)("people and tasks on %s", (dialect) => {
  let app: TasksApp;
  const at = () => isoTime(app.clock.now());

  useTasksApp(dialect, (made) => (app = made));

  describe("what a person does with a task", () => {
    type Action = "cancel" | "retry" | "approve";
    const allowed: Record<Action, readonly TaskStatus[]> = {
      cancel: ["queued", "claimed", "building", "needs_review"],
      retry: ["reverted", "failed", "cancelled", "needs_review"],
      approve: ["needs_review"],
    };
    const actions = ["cancel", "retry", "approve"] as const;
    const cases = actions.flatMap((action) => all.map((status) => [action, status] as const));
    const may = (action: Action, status: TaskStatus) => allowed[action].includes(status);

    test.each(cases.filter(([action, status]) => !may(action, status)))(
      "%s of one that is %s is refused, and nothing changes",
      async (action, status) => {
        const id = await app.taskIn(status);
        const before = await app.ask<TaskDetail>(`/get?id=${id}`);
        app.wakeCount.times = 0;
        const { status: code, error } = await app.ask(`/${action}`, { id });
        expect([code, error.code, error.details]).toEqual([409, "invalid_state", { status }]);
        expect((await app.ask<TaskDetail>(`/get?id=${id}`)).data).toEqual(before.data);
        expect(app.wakeCount.times).toBe(0);
      },
    );

    test.each(cases.filter(([action, status]) => may(action, status)))(
      "%s of one that is %s",
      async (action, status) => {
        const id = await app.taskIn(status);
        app.wakeCount.times = 0;
        const { status: code, data } = await app.ask<Task>(`/${action}`, { id });
        const to = { cancel: "cancelled", retry: "queued", approve: "needs_review" }[action];
        expect([code, data.status, app.wakeCount.times]).toEqual([200, to, 1]);
        expect([data.claimedBy, data.leaseExpiresAt]).toEqual([null, null]);
        expect(data.approvedAt).toBe(action === "approve" ? at() : null);
        expect((await findTask(app.db, id))?.status).toBe(to);
      },
    );

    test.each([
      ["cancel", "building", "cancelled"],
      ["cancel", "needs_review", "discarded"],
      ["retry", "needs_review", "discarded"],
    ] as const)("%s of one that is %s leaves its run %s", async (action, status, closed) => {
      const id = await app.taskIn(status);
      const { data } = await app.ask<Task>(`/${action}`, { id });
      expect(data.run).toMatchObject({ status: closed, step: null, previewUrl: null });
    });

    test.each(["building", "needs_review"] as const)(
      "what is going live out of %s can be neither cancelled nor retried",
      async (status) => {
        const id = await app.taskIn(status);
        const runId = (await findTask(app.db, id))?.run_id ?? "";
        await compareAndSetStatus(app.db, runId, ["running", "preview_ready"], {
          status: "publishing",
        });
        const cancelled = await app.ask("/cancel", { id });
        expect([cancelled.status, cancelled.error.details]).toEqual([409, { status }]);
        expect((await app.ask("/retry", { id })).status).toBe(409);
        const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
        expect([data.status, data.run?.status, data.run?.step]).toEqual([
          status,
          "publishing",
          "Publishing",
        ]);
      },
    );

    test("a retried task begins anew", async () => {
      const id = await app.taskIn("failed");
      const { data } = await app.ask<Task>("/retry", { id });
      expect([data.attempts, data.error, data.startedAt]).toEqual([0, null, null]);
    });

    test.each(["cancel", "retry", "approve"])("%s takes one id of a task", async (action) => {
      for (const [body, code] of [
        [{ id: 999 }, 404],
        [{ id: 2_147_483_647 }, 404],
        [{ id: 2_147_483_648 }, 422],
        [{ id: 9e15 }, 422],
        [{ id: 0 }, 422],
        [{ id: -1 }, 422],
        [{ id: "1" }, 422],
        [{ id: [1] }, 422],
        [{ id: null }, 422],
        [{}, 422],
        [{ id: 1, by: "Someone" }, 422],
        [[], 422],
        ["null", 422],
        ["{", 400],
      ] as const) {
        const reply = JSON.stringify(body);
        expect([reply, (await app.ask(`/${action}`, body)).status]).toEqual([reply, code]);
      }
      for (const query of ["", "?id=", "?id=x", "?id=1.5", "?id=2147483648", "?id=1&id=2"]) {
        expect([query, (await app.ask(`/get${query}`)).status]).toEqual([query, 422]);
      }
      expect((await app.ask("/get?id=999")).error.code).toBe("not_found");
    });

    test("what waits for review is approved once, in the name of who asked first", async () => {
      const id = await app.taskIn("needs_review");
      const first = await app.ask<Task>("/approve", { id });
      app.clock.advance(1000);
      const second = await app.ask<Task>("/approve", { id });
      expect([second.status, second.data.approvedAt]).toEqual([200, first.data.approvedAt]);
      const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
      expect(data.events.filter(({ type }) => type === "approved")).toHaveLength(1);
    });

    test("abuse 88: a cancel against a claim, and against its end, comes to one outcome", async () => {
      for (let round = 0; round < 12; round += 1) {
        const { id } = await app.create();
        const work = async () => {
          const claim = await app.claim();
          const commit = String(round).padStart(40, "b");
          return {
            claim,
            won: await endClaim(app.db, claim, { status: "published", commit }, at()),
          };
        };
        const [cancelled, worked] = await Promise.all([
          app.ask("/cancel", { id }),
          work().catch(() => null),
        ]);
        const row = await findTask(app.db, id);
        const won = worked?.won ?? false;
        expect([cancelled.status, row?.status]).toEqual(
          won ? [409, "published"] : [200, "cancelled"],
        );
        expect(row).toMatchObject({ claim_hash: null, claimed_by: null });
        const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
        expect(data.events.map(({ type }) => type)).toEqual([
          "created",
          won ? "published" : "cancelled",
        ]);
      }
    });

    test("abuse 88: of cancel, retry and approve at once, each that is answered 200 has happened", async () => {
      for (let round = 0; round < 8; round += 1) {
        const id = await app.taskIn("needs_review");
        const requested = ["approve", "retry", "cancel", "approve", "cancel"] as const;
        const responses = await Promise.all(
          requested.map((action) => app.ask(`/${action}`, { id })),
        );
        const { data } = await app.ask<TaskDetail>(`/get?id=${id}`);
        const events = data.events.map(({ type }) => type);
        const done = (action: string) =>
          responses.filter(({ status }, index) => requested[index] === action && status === 200)
            .length;
        expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true);
        expect(events.filter((type) => type === "retried")).toHaveLength(done("retry"));
        expect(events.filter((type) => type === "cancelled")).toHaveLength(done("cancel"));
        expect(["queued", "cancelled"]).toContain(data.status);
        expect(data.run?.status).toBe("discarded");
        expect(data.approvedAt).toBeNull();
        await app.ask("/cancel", { id });
      }
    });
  });
});
