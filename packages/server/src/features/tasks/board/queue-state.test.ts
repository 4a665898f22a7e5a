import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { startTasksApp, type TasksApp } from "../../../../../../test/support/tasks-app.ts";
import { isoTime } from "../../../kit/time.ts";
import { createHttpServer } from "../../../platform/http/server.ts";
import { tasksDefinition } from "../../settings/settings.ts";
import { requeue } from "../queue/claim.ts";
import { queueState } from "./queue-state.ts";
import { registerTaskWorker } from "../runner.ts";

describe.each(dialects)("how the queue stands on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: TasksApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
    app = await startTasksApp(maker);
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await maker.close();
  });
  beforeEach(() => app.clear());

  const stands = () => queueState(app.db, { pause: app.pause, runners: async () => app.runners });
  const ago = async (id: number, minutes: number) => {
    const then = isoTime(Date.now() - minutes * 60_000);
    await sql`update task set updated_at = ${then} where id = ${id}`.execute(app.db);
  };

  test("it is stuck when something is due for a quarter of an hour and nothing is worked on", async () => {
    expect(await stands()).toEqual({ queued: 0, due: 0, stuck: false, paused: false, runners: 1 });
    const id = await app.taskIn("queued");
    expect(await stands()).toMatchObject({ queued: 1, due: 1, stuck: false });
    await ago(id, 14);
    expect(await stands()).toMatchObject({ stuck: false });
    await ago(id, 16);
    expect(await stands()).toMatchObject({ stuck: true });
    await app.create({ priority: 1 });
    await app.claim();
    expect(await stands()).toMatchObject({ queued: 1, due: 1, stuck: false });
  });

  test("what waits for its time is not due", async () => {
    await app.create();
    const claim = await app.claim();
    const giving = { reason: "The daily limit is reached.", waitMs: 900_000, counts: false };
    const rest = { at: isoTime(app.clock.now()), maxAttempts: 3, exhausted: "failed" } as const;
    await requeue(app.db, claim, giving, rest);
    await ago(claim.taskId, 60);
    expect(await stands()).toMatchObject({ queued: 1, due: 0, stuck: false });
    const then = isoTime(Date.now() - 16 * 60_000);
    await sql`update task set not_before = ${then}`.execute(app.db);
    expect(await stands()).toMatchObject({ queued: 1, due: 1, stuck: true });
  });

  test("it is paused as the setting says, and when that can't be read", async () => {
    expect(await app.pause.get()).toBe(false);
    await app.pause.set(true);
    expect(await stands()).toMatchObject({ paused: true });
    await app.pause.set(false);
    expect(await app.pause.get()).toBe(false);
    await sql`update setting set value = '{"paused":"no"' where key = ${tasksDefinition.name}`.execute(
      app.db,
    );
    expect(await app.pause.get()).toBe(true);
    expect((await app.ask("/resume", {})).status).toBe(200);
    expect(await app.pause.get()).toBe(false);
  });

  test("a drain is begun once although the queue is paused, and says so", async () => {
    const server = createHttpServer({
      log: pino({ level: "silent" }),
      name: "test",
      secure: false,
    });
    let woken = 0;
    const worker = { run: async () => ({ queued: 2, running: 1 }), wake: () => void (woken += 1) };
    registerTaskWorker(server, { worker, pause: app.pause });
    await app.pause.set(true);
    const url = "/devconsole/tasks/run";
    const response = await server.inject({ method: "POST", url, payload: {} });
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({
      ok: true,
      data: { queued: 2, running: 1, paused: true },
    });
    const empty = await server.inject({ method: "POST", url });
    expect([empty.statusCode, empty.json().data.queued]).toEqual([202, 2]);
    const odd = await server.inject({ method: "POST", url, payload: { all: true } });
    expect(odd.statusCode).toBe(422);
    const wake = await server.inject({ method: "POST", url: "/internal/tasks/wake" });
    expect([wake.statusCode, woken]).toEqual([204, 1]);
    await server.close();
  });
});
