import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { randomBytes } from "node:crypto";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { sampleTask } from "../../../../../test/support/queue-tasks.ts";
import { addRunRow } from "../../../../../test/support/run-rows.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { insertUser } from "../accounts/store.ts";
import { makeLedger } from "../agent/ledger/ledger.ts";
import { insertMessage, markRead } from "../contact/store.ts";
import { insertRunTask } from "../runs/task-store.ts";
import { updateRun } from "../runs/store.ts";
import { budgetDefinition, makeSettings } from "../settings/settings.ts";
import { queueTask } from "../tasks/queue/queue.ts";
import { tables as taskTables, type TaskPatch } from "../tasks/store.ts";
import { registerOverview } from "./api.ts";
import { type OverviewDependencies, readOverview } from "./overview.ts";
import type { Overview } from "./schema.ts";

const hour = 3_600_000;
const day = 24 * hour;
const keyring = { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
const working = { isSet: true, canSignUp: true, stuck: 0 };

function dependencies(db: Db, clock: FakeClock): OverviewDependencies {
  const settings = makeSettings({ db, keyring, clock });
  return {
    db,
    clock,
    ledger: makeLedger({
      db,
      clock,
      settings,
      owner: { timeZone: "UTC" },
      currency: async () => "EUR",
    }),
    readUpgrade: async () => ({ available: null, failed: null }),
    readEmail: async () => working,
    onError: () => {},
  };
}

/** A QA run that has ended without findings. */
async function addQaRun(db: Db, at: string): Promise<void> {
  await sql`insert into qa_run (trigger_kind, status, started_at, finished_at, heartbeat_at)
    values ('manual', 'finished', ${at}, ${at}, ${at})`.execute(db);
}

async function addFinding(
  db: Db,
  { name, at, severity = "error" }: { name: string; at: string; severity?: string },
): Promise<void> {
  await sql`insert into finding (fingerprint, check_id, category, scope, severity, confidence, engine,
      page_url, message, status, first_seen_at, last_seen_at, first_run_id, last_run_id)
    values (${name}, 'x', 'content', 'page', ${severity}, 'confirmed', 'own', '/', 'Wrong', 'open',
      ${at}, ${at}, 1, 1)`.execute(db);
}

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let clock: FakeClock;
  let deps: OverviewDependencies;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    const { database } = await maker.make();
    db = database.db;
    await migrate({ database, now: 0 });
    clock = fakeClock(Date.parse("2026-11-15T12:00:00.000Z"));
    deps = dependencies(db, clock);
    await addQaRun(db, now());
  });

  const now = () => isoTime(clock.now());
  const visit = () => readOverview(deps, { isVisit: true });
  const texts = ({ attention }: Overview) => attention.map(({ text }) => text);
  const news = (overview: Overview) => overview.news.map(({ text }) => text);
  const addRun = async (status: "published" | "failed" | "preview_ready") => {
    const id = await addRunRow(db, clock, status);
    await updateRun(db, id, { finished_at: now() });
    clock.advance(1);
    return id;
  };
  const addTask = async (set: TaskPatch) => {
    const { id } = await queueTask(db, sampleTask, now());
    await taskTables(db)
      .updateTable("task")
      .set({ updated_at: now(), ...set })
      .where("id", "=", id)
      .execute();
    return id;
  };
  const addMessage = () =>
    insertMessage(db, {
      name: "Ada",
      email: "ada@example.org",
      message: "Hello",
      at: now(),
      ip: "203.0.113.7",
      user_agent: "Browser",
      email_id: null,
    });

  test("a newer version and an upgrade that failed are listed", async () => {
    const failed = { to: "0.3.0", reason: "The site can’t be built." };
    deps.readUpgrade = async () => ({ available: "0.4.0", failed });
    expect(texts(await visit())).toEqual([
      "The upgrade to version 0.3.0 failed and changed nothing: The site can’t be built",
      "Version 0.4.0 of Vitrine is available: run `vitrine upgrade`",
    ]);
  });

  test("publish targets that couldn't be sent to are listed", async () => {
    const add = (name: string) =>
      sql`insert into publish_target (name, kind, settings, error, created_at, updated_at)
        values (${name}, 'netlify', '{}', 'No.', ${now()}, ${now()})`.execute(db);
    await add("CDN");
    expect((await visit()).attention).toMatchObject([
      { text: "Your site couldn’t be sent to “CDN”", href: "/admin/settings#targets" },
    ]);
    await add("Server");
    expect(texts(await visit())).toEqual(["Your site couldn’t be sent to 2 publish targets"]);
  });

  test("with nothing to do, nothing needs the owner", async () => {
    expect(await visit()).toMatchObject({
      attention: [],
      queue: { running: 0, queued: 0 },
      since: null,
      news: [],
      unavailable: [],
    });
  });

  test("what needs the owner is counted and links to the page that resolves it", async () => {
    await addTask({ status: "needs_review" });
    await addTask({});
    await addTask({ status: "failed", finished_at: now() });
    await addRun("preview_ready");
    await addRun("failed");
    await addMessage();
    await addMessage();
    await addFinding(db, { name: "a", at: now() });
    await addFinding(db, { name: "b", at: now(), severity: "warning" });
    deps.readEmail = async () => ({ isSet: false, canSignUp: true, stuck: 2 });
    const { attention, queue } = await visit();
    expect(attention.map(({ count, text, href }) => [count, text, href])).toEqual([
      [1, "1 task waits for your review", "/admin/tasks?column=needs_review"],
      [
        1,
        "1 change isn’t live yet: publish or discard its preview",
        "/admin/runs?status=preview_ready",
      ],
      [1, "1 task failed in the last 7 days", "/admin/tasks?column=ended"],
      [1, "1 change failed in the last 7 days", "/admin/runs?status=failed"],
      [2, "2 unread messages", "/admin/messages?unread=1"],
      [1, "1 error on your site", "/admin/qa?severity=error"],
      [
        1,
        "Visitors can sign up, but nobody can confirm an address because email isn’t set up",
        "/admin/settings#mail",
      ],
      [2, "2 emails have been waiting for more than a day", "/admin/settings#mail"],
    ]);
    expect(queue).toEqual({ running: 0, queued: 1 });
  });

  test("runs that are done, old, part of a task, or retried need nobody", async () => {
    const failed = await addRun("failed");
    const successor = await addRun("published");
    await sql`insert into run_request (run_id, origin, origin_run_id) values (${successor}, 'continue', ${failed})`.execute(
      db,
    );
    const ofTask = await addRun("preview_ready");
    const task = await addTask({});
    await insertRunTask(db, ofTask, { id: task, attempt: 1 });
    await addRun("failed");
    await addTask({ status: "failed", finished_at: now() });
    const id = await addMessage();
    await markRead(db, [id], now());
    clock.advance(8 * day);
    expect(texts(await visit())).toEqual([]);
  });

  test("before the first QA run, the overview doesn't claim that there are no errors", async () => {
    await sql`delete from qa_run`.execute(db);
    expect(texts(await visit())).toEqual(["QA hasn’t checked your site yet"]);
  });

  test("a failed rebuild needs the owner", async () => {
    await sql`insert into rebuild_request (status, reason, requested_at, last_requested_at, started_at, finished_at, error)
      values ('failed', 'records', ${now()}, ${now()}, ${now()}, ${now()}, 'The build failed')`.execute(
      db,
    );
    expect(texts(await visit())).toEqual([
      "Your saved changes aren’t live yet because the last build of the site failed",
    ]);
  });

  test("news starts at the end of the last visit and stays until an hour without requests", async () => {
    await addRun("published");
    expect((await visit()).since).toBeNull();
    clock.advance(hour / 2);
    expect((await visit()).since).toBeNull();
    const ended = now();
    clock.advance(hour);
    await addRun("published");
    const own = await addRun("published");
    const task = await addTask({ status: "published", finished_at: now() });
    await insertRunTask(db, own, { id: task, attempt: 1 });
    await addTask({ status: "reverted", finished_at: now() });
    await addMessage();
    await addFinding(db, { name: "a", at: now() });
    await sql`update finding set status = 'fixed', fixed_at = ${now()} where fingerprint = 'a'`.execute(
      db,
    );
    await addFinding(db, { name: "b", at: now() });
    await insertUser(db, {
      email: "ada@example.org",
      name: "Ada",
      passwordHash: null,
      verifiedAt: null,
      now: now(),
    });
    const expected = [
      "1 change published",
      "1 task published",
      "1 task failed",
      "1 new message",
      "1 new QA finding",
      "1 QA finding fixed",
      "1 new account",
    ];
    // Asking shows the same, and is no visit.
    const asked = await readOverview(deps, { isVisit: false });
    expect([asked.since, news(asked)]).toEqual([ended, expected]);
    for (let times = 0; times < 3; times += 1) {
      const seen = await visit();
      expect([seen.since, news(seen)]).toEqual([ended, expected]);
      clock.advance(hour - 1);
    }
    const last = isoTime(clock.now() - hour + 1);
    clock.advance(1);
    const next = await visit();
    expect([next.since, news(next)]).toEqual([last, []]);
  });

  test("costs are shown separately for runs and tasks, with the limit", async () => {
    const settings = makeSettings({ db, keyring, clock });
    const none = { tokens: null, cost: null };
    const budget = { run: none, day: none, month: { tokens: null, cost: 20 } };
    await settings.set(budgetDefinition, JSON.stringify(budget));
    const ledger = makeLedger({
      db,
      clock,
      settings,
      owner: { timeZone: "UTC" },
      currency: async () => "EUR",
    });
    const run = await addRun("published");
    const ofTask = await addRun("published");
    await insertRunTask(db, ofTask, { id: await addTask({}), attempt: 1 });
    const use = { purpose: "edit", model: "m", inputTokens: 90, cachedTokens: 0 } as const;
    const book = (runId: string | null, cost: number) =>
      ledger.book({ ...use, runId, cost, outputTokens: 10, currency: "EUR" });
    await book(run, 1);
    clock.advance(1);
    await visit();
    clock.advance(2 * hour);
    await book(ofTask, 2);
    await book(null, 0.5);
    expect((await visit()).cost).toEqual({
      currency: "EUR",
      ceiling: { tokens: null, cost: 20 },
      month: {
        runs: { tokens: 100, cost: 1 },
        tasks: { tokens: 100, cost: 2 },
        other: { tokens: 100, cost: 0.5 },
      },
      sinceVisit: {
        runs: { tokens: 0, cost: null },
        tasks: { tokens: 100, cost: 2 },
        other: { tokens: 100, cost: 0.5 },
      },
    });
  });

  test("a part that can't be read is named and doesn't hide others", async () => {
    await addMessage();
    const failed: string[] = [];
    deps.onError = (part) => failed.push(part);
    deps.readEmail = () => Promise.reject(new Error("sealed with another key"));
    await sql`alter table task rename to task_away`.execute(db);
    const overview = await visit();
    expect(texts(overview)).toEqual(["1 unread message"]);
    expect(overview.queue).toBeNull();
    expect(overview.unavailable.toSorted()).toEqual(["email", "tasks"]);
    expect(failed).toContain("email");
  });
});

describe("over HTTP", () => {
  let app: AdminApp;
  beforeEach(async () => {
    app = await startAdminApp({
      register: (server, { guard, db, clock }) =>
        registerOverview(server, { guard, ...dependencies(db, clock as FakeClock) }),
    });
  });
  afterEach(() => app.cleanup());

  test("only the admin gets the overview, in one response", async () => {
    const address = "/api/adminoverview/get";
    expect((await app.ask(address)).status).toBe(401);
    const answer = await app.ask(address, { headers: { cookie: await app.signIn() } });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.json().data).toMatchObject({
      attention: [{ kind: "qa", count: 1, href: "/admin/qa" }],
      since: null,
      news: [],
      unavailable: [],
    });
  });
});
