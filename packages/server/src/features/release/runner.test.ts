import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type AppServer, createHttpServer } from "../../platform/http/server.ts";
import { createLog } from "../../platform/log.ts";
import { registerReleaseCommands } from "./cli.ts";
import { rebuildState, requestRebuild } from "./rebuild-requests.ts";
import { claimPending, endBuilding, listRebuilds } from "./rebuild-store.ts";
import { registerRebuild } from "./runner.ts";

let store: TestDatabase;
let db: Db;
let clock: FakeClock;

beforeEach(async () => {
  store = await makeTestDatabase();
  ({ db } = store.database);
  clock = fakeClock();
});
afterEach(() => store.cleanup());

const at = "2026-01-15T12:00:01.000Z";

/** What the runner does with a request. */
async function end(outcome: { status: "done" | "failed"; error: string | null }): Promise<void> {
  const row = await claimPending(db, at);
  const release_number = outcome.status === "done" ? 7 : null;
  const ended = { ...outcome, finished_at: at, commit_sha: null, release_number };
  await endBuilding(db, row?.id ?? 0, ended);
}

describe("/devconsole/rebuild", () => {
  let app: AppServer;

  beforeEach(() => {
    app = createHttpServer({
      log: createLog({ level: "silent", name: "test" }),
      name: "test",
      secure: false,
    });
    registerRebuild(app, {
      rebuilder: {
        request: (reason) => requestRebuild(db, { reason, now: clock.now() }),
        state: () => rebuildState(db),
      },
    });
  });
  afterEach(() => app.close());

  test("GET tells how the site follows the records, POST asks for a rebuild", async () => {
    const idle = await app.inject({ url: "/devconsole/rebuild" });
    expect(idle.json()).toMatchObject({ ok: true, data: { state: "idle", error: null } });
    const requested = await app.inject({ method: "POST", url: "/devconsole/rebuild" });
    expect(requested.statusCode).toBe(202);
    expect(requested.json().data).toEqual({
      state: "pending",
      reason: "rebuilt by hand",
      requestedAt: "2026-01-15T12:00:00.000Z",
      finishedAt: null,
      error: null,
      privateTexts: null,
      release: null,
    });
    await end({ status: "failed", error: "The site can't be built: no." });
    const failed = await app.inject({ url: "/devconsole/rebuild" });
    expect(failed.json().data).toMatchObject({
      state: "failed",
      error: "The site can't be built: no.",
      finishedAt: at,
    });
  });

  test("POST takes an empty object and no unknown key", async () => {
    const post = (payload: object) =>
      app.inject({ method: "POST", url: "/devconsole/rebuild", payload });
    expect((await post({})).statusCode).toBe(202);
    expect((await post({ now: true })).statusCode).toBe(422);
  });
});

describe("vitrine rebuild", () => {
  let printed: unknown[];

  async function vitrine(...args: string[]): Promise<void> {
    printed = [];
    const context = {
      clock,
      open: async () => ({ database: store.database }) as unknown as OpenedInstance,
      print: (data: unknown) => void printed.push(data),
    } as unknown as CliContext;
    const program = new Command("vitrine").exitOverride().configureOutput({ writeErr: () => {} });
    registerReleaseCommands(program, context);
    await program.parseAsync(args, { from: "user" });
  }

  /** Resolves once the command has asked. */
  async function requested(): Promise<void> {
    while ((await listRebuilds(db, "pending")).length === 0) await new Promise(setImmediate);
  }

  test("sets the flag and returns, with no runner about", async () => {
    await vitrine("rebuild");
    expect(printed).toMatchObject([{ state: "pending", reason: "rebuilt by hand" }]);
  });

  test("--wait returns when it is done", async () => {
    const waiting = vitrine("rebuild", "--wait");
    await requested();
    await end({ status: "done", error: null });
    await waiting;
    expect(printed).toMatchObject([{ state: "idle", release: 7 }]);
  });

  test("--wait fails with the rebuild's own reason", async () => {
    const waiting = vitrine("rebuild", "--wait");
    await requested();
    await end({ status: "failed", error: "The site can't be built: no." });
    await expect(waiting).rejects.toMatchObject({ message: "The site can't be built: no." });
    expect(printed).toEqual([]);
  });

  test("--wait gives up after ten minutes and asks for the runner", async () => {
    const waiting = vitrine("rebuild", "--wait");
    await requested();
    clock.advance(10 * 60_000 + 1);
    await expect(waiting).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("Check that the runner is running."),
    });
  });
});
