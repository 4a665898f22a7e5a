import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { findSiteWork } from "./work-store.ts";

const now = Date.parse("2026-11-29T12:00:00Z");
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
const nothing = { isBusy: false, nextAt: null };

describe.each(dialects)("what a site has to do, in %s", (dialect) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  }, 120_000);
  afterAll(() => maker.close());

  async function make() {
    const { database } = await maker.make();
    await migrate({ database, now: 0 });
    const { db } = database;
    const find = (options: { release?: number; qaMinutes?: number } = {}) =>
      findSiteWork(db, { now, soonMs: 60_000, release: null, qaMinutes: 0, ...options });
    return { db, find };
  }

  const addRebuild = (db: Db, status: string) =>
    sql`insert into rebuild_request (status, reason, requested_at, last_requested_at)
      values (${status}, 'test', ${at(0)}, ${at(0)})`.execute(db);
  const addEmail = (db: Db, status: string, dueAt: string) =>
    sql`insert into outbox_email (purpose, recipient, subject, status, created_at, due_at)
      values ('verify', 'a@b.example', 'Hello', ${status}, ${at(-9)}, ${dueAt})`.execute(db);
  const addTask = (db: Db, notBefore: string | null) =>
    sql`insert into task (kind, title, instruction, status, actor, created_at, updated_at, not_before)
      values ('edit', 'T', 'Do it', 'queued', 'Owner', ${at(-9)}, ${at(-9)}, ${notBefore})`.execute(
      db,
    );

  test("a site whose work is done has nothing to do", async () => {
    const { db, find } = await make();
    await addRebuild(db, "done");
    await addEmail(db, "sent", at(-5));
    expect(await find({ release: 3 })).toEqual(nothing);
  });

  test("a pending rebuild, an email that is due, and a queued task keep it awake", async () => {
    for (const add of [
      (db: Db) => addRebuild(db, "pending"),
      (db: Db) => addEmail(db, "waiting", at(0.5)),
      (db: Db) => addTask(db, null),
    ]) {
      const { db, find } = await make();
      await add(db);
      expect((await find()).isBusy).toBe(true);
    }
  });

  test("what is due later wakes it then, the first of several", async () => {
    const { db, find } = await make();
    await addEmail(db, "waiting", at(90));
    await addTask(db, at(40));
    expect(await find()).toEqual({ isBusy: false, nextAt: at(40) });
  });

  test("a paused queue waits for its owner", async () => {
    const { db, find } = await make();
    await addTask(db, null);
    await sql`insert into setting (key, value, updated_at)
      values ('tasks', '{"paused":true}', ${at(-9)})`.execute(db);
    expect(await find()).toEqual(nothing);
    await sql`update setting set value = '{"paused":false}'`.execute(db);
    expect((await find()).isBusy).toBe(true);
  });

  test("a publish target gets each release, and another attempt when it is due", async () => {
    const { db, find } = await make();
    const target = sql`insert into publish_target
      (name, kind, settings, sent_release, created_at, updated_at)
      values ('Copy', 'git', '{}', 3, ${at(-9)}, ${at(-9)})`;
    await target.execute(db);
    expect(await find({ release: 3 })).toEqual(nothing);
    expect((await find({ release: 4 })).isBusy).toBe(true);
    await sql`update publish_target set error = 'away', next_attempt_at = ${at(30)}`.execute(db);
    expect(await find({ release: 4 })).toEqual({ isBusy: false, nextAt: at(30) });
  });

  test("QA runs are due at their interval after the last scheduled one", async () => {
    const { db, find } = await make();
    expect(await find({ qaMinutes: 60 })).toEqual({ isBusy: false, nextAt: at(60) });
    await sql`insert into qa_run (trigger_kind, status, started_at, heartbeat_at)
      values ('heartbeat', 'finished', ${at(-20)}, ${at(-19)})`.execute(db);
    expect(await find({ qaMinutes: 60 })).toEqual({ isBusy: false, nextAt: at(40) });
    expect(await find({ qaMinutes: 0 })).toEqual(nothing);
  });
});
