import { mkdir, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { AppError } from "../../kit/errors.ts";
import { failure } from "../../kit/failure.ts";
import { type AppServer, createHttpServer } from "../../platform/http/server.ts";
import { createLog } from "../../platform/log.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import type { CliContext } from "../../platform/cli.ts";
import { loadConfig } from "../../platform/config.ts";
import { registerHealthApi } from "./api.ts";
import { registerHealthCommands } from "./cli.ts";
import {
  databaseCheck,
  diskCheck,
  migrationCheck,
  mailerCheck,
  memoryCheck,
  modelCheck,
  queueCheck,
  runnerCheck,
  sandboxCheck,
  siteCheck,
} from "./checks.ts";
import { type HealthCheck, makeHealth } from "./health.ts";

const log = createLog({ level: "silent", name: "test" });
const fine: HealthCheck = { essential: false, run: () => ({ status: "ok" }) };
let clock: FakeClock;
let app: AppServer;
let folder: TempFolder;
let store: TestDatabase;
let paths: InstancePaths;
beforeEach(async () => {
  clock = fakeClock();
  folder = await tempFolder();
  store = await makeTestDatabase();
  paths = instancePaths(folder.path);
  app = createHttpServer({ log, name: "test", secure: false });
});
afterEach(async () => {
  await app.close();
  await store.cleanup();
  await folder.remove();
});

function serve(checks: Record<string, HealthCheck>): void {
  registerHealthApi(app, makeHealth({ checks, version: "1.2.3", clock }));
}

async function ask() {
  const response = await app.inject({ url: "/api/health" });
  return { status: response.statusCode, headers: response.headers, body: response.json() };
}

describe("GET /api/health", () => {
  test("returns the envelope with version, uptime, and each check", async () => {
    await mkdir(`${paths.releases}/7`, { recursive: true });
    await symlink("releases/7", paths.current);
    serve({
      database: databaseCheck(store.database),
      migrations: migrationCheck(store.database),
      runner: runnerCheck(async () => true),
      site: siteCheck(paths),
      disk: diskCheck(folder.path),
      sandbox: sandboxCheck(async () => "bubblewrap"),
      memory: memoryCheck(async () => "cgroup v2"),
      mailer: mailerCheck(async () => ({ set: true, stuck: 0 })),
      model: modelCheck(async () => null),
    });
    clock.advance(65_400);
    const { status, headers, body } = await ask();
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(body).toEqual({
      ok: true,
      error: null,
      data: {
        status: "ok",
        version: "1.2.3",
        uptime: 65,
        checks: {
          database: { status: "ok", note: "sqlite" },
          migrations: { status: "ok" },
          runner: { status: "ok" },
          site: { status: "ok", note: "release 7" },
          disk: { status: "ok" },
          sandbox: { status: "ok", note: "bubblewrap" },
          memory: { status: "ok", note: "cgroup v2" },
          mailer: { status: "ok" },
          model: { status: "ok", note: "none; exact instructions still work" },
        },
      },
    });
  });

  test("if the runner doesn't respond, the memory bound of builds is unknown", async () => {
    serve({ memory: memoryCheck(() => Promise.reject(new Error("no runner"))) });
    expect((await ask()).body.data.checks.memory).toEqual({
      status: "degraded",
      note: "unknown",
    });
  });

  test.each([
    [
      { set: false, stuck: 3 },
      { status: "ok", note: "none; email is only written to the log" },
    ],
    [
      { set: true, stuck: 1 },
      { status: "degraded", note: "1 email from the last day is only in the log so far" },
    ],
    [
      { set: true, stuck: 2 },
      { status: "degraded", note: "2 emails from the last day are only in the log so far" },
    ],
  ])("reports how email is sent: %j", async (state, expected) => {
    serve({ mailer: mailerCheck(async () => state) });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ checks: { mailer: expected } });
  });

  test.each([
    ["bubblewrap", "ok"],
    ["landlock", "ok"],
    ["permission", "degraded"],
    ["none", "degraded"],
  ])("abuse 76: how builds are contained shows: %s is %s", async (tier, expected) => {
    serve({ sandbox: sandboxCheck(async () => tier) });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: expected,
      checks: { sandbox: { status: expected, note: tier } },
    });
  });

  test("is degraded, with 200, while the last rebuild has failed, because visitors still get pages", async () => {
    await mkdir(`${paths.releases}/7`, { recursive: true });
    await symlink("releases/7", paths.current);
    serve({
      site: siteCheck(paths, async () => "the last rebuild failed: The site can't be built"),
    });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: "degraded",
      checks: {
        site: {
          status: "degraded",
          note: "the last rebuild failed: The site can't be built",
        },
      },
    });
  });

  test.each([
    [{}, "ok", "no tasks are waiting"],
    [{ queued: 1, due: 1 }, "ok", "1 task is waiting"],
    [{ queued: 3, due: 0, runners: 0 }, "ok", "3 tasks are waiting"],
    [{ queued: 3, due: 1, runners: 0 }, "degraded", "3 tasks are waiting, and no runner is active"],
    [{ queued: 1, due: 1, stuck: true }, "degraded", "1 task is waiting, and no task is started"],
    [
      { queued: 3, due: 3, stuck: true, paused: true, runners: 0 },
      "ok",
      "paused, 3 tasks are waiting",
    ],
    [{ paused: true }, "ok", "paused, no tasks are waiting"],
  ])("of the task queue that stands as %o it says %s: %s", async (state, status, note) => {
    const usual = { queued: 0, due: 0, stuck: false, paused: false, runners: 1 };
    serve({ queue: queueCheck(async () => ({ ...usual, ...state })) });
    const response = await ask();
    expect([response.status, response.body.data]).toEqual([
      200,
      { ...response.body.data, status, checks: { queue: { status, note } } },
    ]);
  });

  test("is degraded, with 200, if a nonessential part is down or throws", async () => {
    serve({
      database: databaseCheck(store.database),
      runner: runnerCheck(() => Promise.reject(new Error("secret address"))),
    });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: "degraded", checks: { runner: { status: "down" } } });
    expect(JSON.stringify(body)).not.toContain("secret address");
  });

  test.each(["database", "migrations", "site"])("is down, with 503, without %s", async (part) => {
    await mkdir(`${paths.releases}/1`, { recursive: true });
    await symlink("releases/1", paths.current);
    if (part === "database") await store.database.close();
    if (part === "migrations") await sql`delete from migration`.execute(store.database.db);
    if (part === "site") await rm(paths.releases, { recursive: true });
    serve({
      database: databaseCheck(store.database),
      migrations: migrationCheck(store.database),
      site: siteCheck(paths),
    });
    const { status, body } = await ask();
    expect(status).toBe(503);
    expect(body.data.status).toBe("down");
    expect(body.data.checks[part].status).toBe("down");
  });

  test("callers within a second share one check", async () => {
    let checks = 0;
    const run = async () => {
      checks += 1;
      return { status: "ok" as const };
    };
    serve({ counted: { essential: true, run }, fine });
    await Promise.all([ask(), ask(), ask()]);
    clock.advance(999);
    await ask();
    expect(checks).toBe(1);
    clock.advance(1);
    await ask();
    expect(checks).toBe(2);
  });

  test("a check that doesn't respond counts as down", async () => {
    serve({ stuck: { essential: false, run: () => new Promise(() => {}) }, fine });
    const { body } = await ask();
    expect(body.data.checks).toEqual({
      stuck: { status: "down", note: "doesn't respond" },
      fine: { status: "ok" },
    });
  });

  test("an unknown query key is refused", async () => {
    serve({ fine });
    expect((await app.inject({ url: "/api/health?verbose=1" })).statusCode).toBe(422);
  });
});

describe("vitrine status", () => {
  /** Runs the command for an instance at this port. */
  async function status(port: number): Promise<{ printed: unknown; failed: boolean }> {
    const outcome: { printed: unknown; failed: boolean } = { printed: null, failed: false };
    const context = { print: (data: unknown) => (outcome.printed = data) } as unknown as CliContext;
    const command = new Command().exitOverride();
    registerHealthCommands(command, context, {
      config: async () => {
        return loadConfig({ VITRINE_DIR: folder.path, HOST: "127.0.0.1", PORT: `${port}` });
      },
      fail: () => (outcome.failed = true),
    });
    await command.parseAsync(["status"], { from: "user" });
    return outcome;
  }

  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  test("prints the health of the running instance, and fails if it is down", async () => {
    let isUp = true;
    const database: HealthCheck = {
      essential: true,
      run: () => ({ status: isUp ? "ok" : "down" }),
    };
    serve({ database, queue: fine });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const port = portOf(app.server);
    const { printed, failed } = await status(port);
    expect(failed).toBe(false);
    expect(printed).toMatchObject({
      running: true,
      address: `127.0.0.1:${port}`,
      status: "ok",
      checks: { database: { status: "ok" } },
    });
    isUp = false;
    clock.advance(2000);
    expect(await status(port)).toMatchObject({ failed: true, printed: { status: "down" } });
  });

  test("says that Vitrine is starting while the front alone answers", async () => {
    const error = new AppError("unavailable", "The server is restarting.");
    const front = createServer((_, response) => {
      response.writeHead(503).end(JSON.stringify(failure(error)));
    });
    await new Promise<void>((listening) => void front.listen(0, "127.0.0.1", listening));
    await expect(status(portOf(front))).rejects.toThrow(/is starting/);
    await new Promise((closed) => void front.close(closed));
  });

  test("says that nothing is running, and notices what isn't Vitrine", async () => {
    const other = createServer((_, response) => response.end("x".repeat(200_000)));
    await new Promise<void>((listening) => void other.listen(0, "127.0.0.1", listening));
    const port = portOf(other);
    await expect(status(port)).rejects.toMatchObject({ code: "unavailable" });
    await new Promise((closed) => void other.close(closed));
    expect(await status(port)).toEqual({
      failed: true,
      printed: expect.objectContaining({ running: false, address: `127.0.0.1:${port}` }),
    });
  });
});
