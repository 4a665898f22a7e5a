import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Database } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { run } from "../../platform/process.ts";
import {
  supersedeRebuilds,
  rebuildEnd,
  rebuildState,
  requestRebuildWithId,
  requestRebuild,
} from "./rebuild-requests.ts";
import { claimPending, endBuilding, reopenBuilding, listRebuilds } from "./rebuild-store.ts";

const program = join(import.meta.dirname, "../../../../../test/support/publish/requester.ts");

describe.each(dialects)("a request for a rebuild (%s)", (dialect) => {
  let maker: DatabaseMaker;
  let database: Database;
  let address: { url: string | null; file: string };

  beforeAll(async () => {
    maker = await startDialect(dialect);
  }, 60_000);
  afterAll(() => maker.close());
  beforeEach(async () => {
    ({ database, address } = await maker.make());
    await migrate({ database, now: 0 });
  });

  const pending = () => listRebuilds(database.db, "pending");

  test("is one row however often it is made, and knows the first and the last time", async () => {
    const { db } = database;
    await requestRebuild(db, { reason: "Atlas was saved", now: 1000 });
    await requestRebuild(db, { reason: "Atlas was saved", now: 3000 });
    await requestRebuild(db, { reason: "Atlas was saved", now: 2000 });
    expect(await pending()).toMatchObject([
      {
        reason: "Atlas was saved",
        requested_at: "1970-01-01T00:00:01.000Z",
        last_requested_at: "1970-01-01T00:00:03.000Z",
      },
    ]);
    await requestRebuild(db, { reason: "a picture\nwas stored", now: 4000 });
    expect(await pending()).toMatchObject([{ reason: "several changes" }]);
  });

  test("is made with the change or not at all", async () => {
    const { db } = database;
    const failed = db.transaction().execute(async (transaction) => {
      await requestRebuild(transaction, { reason: "a", now: 1000 });
      throw new Error("The change failed.");
    });
    await expect(failed).rejects.toThrow("The change failed.");
    expect(await pending()).toEqual([]);
  });

  test("from three processes at once is one row, and each is taken up once", async () => {
    const ask = (first: number) =>
      run(process.execPath, [program, JSON.stringify(address), String(first), "60"]);
    const results = await Promise.all([ask(1000), ask(2000), ask(3000)]);
    expect(results).toMatchObject(results.map(() => ({ exitCode: 0, stderr: "" })));
    const taken = results.reduce((sum, { stdout }) => sum + Number(stdout), 0);
    expect(taken).toBeGreaterThan(0);
    expect(await listRebuilds(database.db, "done")).toHaveLength(taken);
    expect(await listRebuilds(database.db, "building")).toEqual([]);
    expect(await pending()).toHaveLength(1);
  });

  test("that was taken up doesn't stand for what changes after that", async () => {
    const { db } = database;
    await requestRebuild(db, { reason: "a", now: 1000 });
    const at = "2026-01-01T00:00:00.000Z";
    expect(await claimPending(db, at)).toMatchObject({ status: "building", started_at: at });
    expect(await claimPending(db, at)).toBeUndefined();
    await requestRebuild(db, { reason: "b", now: 2000 });
    expect(await pending()).toMatchObject([{ reason: "b" }]);
    expect(await rebuildState(db)).toMatchObject({ state: "building", reason: "a" });
  });

  test("is made when a rebuild was taken up while older records were put before the public", async () => {
    const { db } = database;
    const task = { reason: "a run was published at the same time", now: () => 5000 };
    await requestRebuild(db, { reason: "a", now: 1000 });
    expect(await supersedeRebuilds(db, task, async () => "published")).toBe("published");
    expect(await pending()).toMatchObject([{ reason: "a" }]);
    await supersedeRebuilds(db, task, () => claimPending(db, "2026-01-01T00:00:00.000Z"));
    expect(await pending()).toMatchObject([{ reason: "a run was published at the same time" }]);
  });

  test("can be waited for, also when what was taken up begins anew", async () => {
    const { db } = database;
    expect(await rebuildState(db)).toEqual({
      state: "idle",
      reason: null,
      requestedAt: null,
      finishedAt: null,
      error: null,
      privateTexts: null,
      release: null,
    });
    const id = await requestRebuildWithId(db, { reason: "a", now: 1000 });
    expect(await rebuildEnd(db, id)).toBeNull();
    const at = "2026-01-01T00:00:00.000Z";
    const first = await claimPending(db, at);
    expect(await rebuildEnd(db, id)).toBeNull();
    if (first) await reopenBuilding(db, first);
    expect(await rebuildEnd(db, id)).toBeNull();
    const second = await claimPending(db, at);
    const end = { finished_at: at, commit_sha: "c", release_number: 4 };
    await endBuilding(db, second?.id ?? 0, { ...end, status: "done", error: null });
    expect(await rebuildEnd(db, id)).toEqual({ error: null, commit: "c", release: 4 });
    expect(await rebuildState(db)).toMatchObject({ state: "idle", release: 4, finishedAt: at });
  });
});
