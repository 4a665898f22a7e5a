import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { clearTasks, addTaskRow } from "../../../../../../test/support/queue-tasks.ts";
import { startEmail, type TestEmail } from "../../../../../../test/support/email.ts";
import { systemClock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { createLog } from "../../../platform/log.ts";
import { makeRunEvents } from "../../runs/events.ts";
import { endClaim, type TaskEnd } from "../queue/claim.ts";
import { makeTaskNotifications } from "./notifications.ts";
import { cancelTask, retryTask } from "../queue/queue.ts";
import { type TaskPatch, type TaskRow, tables } from "../store.ts";

const clock = systemClock;
const log = createLog({ level: "silent", name: "test", destination: new PassThrough() });

describe.each(dialects)("emails about tasks on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let email: TestEmail;
  let to: string | null;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    ({ db } = database);
    await migrate({ database, now: clock.now() });
  });
  beforeEach(async () => {
    await clearTasks(db);
    email = await startEmail({ db, clock });
    to = "owner@example.com";
  });
  afterEach(() => email[Symbol.asyncDispose]());
  afterAll(() => maker?.close());

  function open() {
    const notifications = makeTaskNotifications({
      db,
      clock,
      log,
      outbox: email.outbox,
      to: async () => to,
    });
    return {
      async look() {
        await notifications.sendDue();
        await email.deliver();
      },
    };
  }

  async function ended(ending: TaskEnd, set: TaskPatch = {}): Promise<TaskRow> {
    const task = await addTaskRow(db, "building", { run: "preview_ready", ...set });
    const key = { taskId: task.id, token: "token" };
    expect(await endClaim(db, key, ending, isoTime(clock.now()))).toBe(true);
    return task;
  }

  const outcomes = async () => {
    const rows = await tables(db)
      .selectFrom("task_notification")
      .selectAll()
      .orderBy("id")
      .execute();
    return rows.map(({ outcome }) => outcome);
  };

  it("tells at once and once what waits for review, why, and where", async () => {
    const items = Array.from({ length: 7 }, (_, n) => `https://cdn${n}.example`);
    const review = [
      { kind: "script" as const, message: "It adds a script to 2 pages.", items: ["/about/"] },
      { kind: "origin" as const, message: "It loads from new addresses.", items },
    ];
    const instruction = `Add a\nmap. ${"Very nicely. ".repeat(60)}`;
    const task = await ended(
      { status: "needs_review", review },
      { title: "Add a map", instruction },
    );
    await Promise.all([open().look(), open().look()]);
    await open().look();
    expect(email.emails().map(({ to: reader }) => reader)).toEqual(["owner@example.com"]);
    const { subject, text = "", links } = email.emails()[0] ?? {};
    expect(subject).toBe("Task needs review: Add a map");
    expect(text).toContain("> Add a map. Very nicely.");
    expect(text).toMatch(/Very nicely\. V\w*…/);
    expect(text).toContain("- It adds a script to 2 pages.\n  /about/");
    expect(text).toContain("  https://cdn4.example\n  and 2 more");
    expect(text).toContain("Review, then approve or discard:");
    expect(links).toContain(`https://me.example/admin/tasks?task=${task.id}`);
    expect(await outcomes()).toEqual(["emailed"]);
  });

  it.each([
    ["reverted", "was reverted", "none of its changes were kept"],
    ["failed", "has failed", "A task has failed"],
  ] as const)(
    "tells why what is %s came to nothing, and that the site is as it was",
    async (status, updates, words) => {
      const error = "The site doesn't build with these changes: about.astro:3";
      await ended(
        { status, error },
        { title: "Give the page a map", instruction: "Use\nthat map." },
      );
      await open().look();
      const { subject, text } = email.emails()[0] ?? {};
      expect(subject).toBe(`Task ${updates}: Give the page a map`);
      expect(text).toContain("> Give the page a map\n> Use that map.");
      expect(text).toContain(words);
      expect(text).toContain(`Why: ${error}`);
      expect(text).toContain("Your site hasn't changed");
    },
  );

  it("tells nobody of what is published, or cancelled by a person", async () => {
    await ended({ status: "published", commit: "abc" });
    const events = makeRunEvents({ db, clock });
    const { id } = await addTaskRow(db, "building", { run: "running" });
    await cancelTask({ db, events, clock }, id, "Owner");
    await open().look();
    expect(email.smtp.emails).toEqual([]);
    expect(await outcomes()).toEqual([]);
  });

  it("keeps to itself what is no news any more", async () => {
    const events = makeRunEvents({ db, clock });
    const approved = await ended({ status: "needs_review", review: [] });
    await cancelTask({ db, events, clock }, approved.id, "Owner");
    const again = await ended({ status: "failed", error: "first" });
    await retryTask({ db, events, clock }, again.id, "Owner");
    const claimed = { status: "claimed", claim_hash: "x" } as const;
    await tables(db).updateTable("task").set(claimed).where("id", "=", again.id).execute();
    await ended({ status: "failed", error: "other" });
    await open().look();
    expect(email.smtp.emails).toHaveLength(1);
    expect(await outcomes()).toEqual(["seen", "seen", "emailed"]);
  });

  it("sends one email of a task that failed twice before anybody looked", async () => {
    const events = makeRunEvents({ db, clock });
    const task = await ended({ status: "failed", error: "first" });
    const pending = await addTaskRow(db, "claimed");
    await retryTask({ db, events, clock }, task.id, "Owner");
    const { claimed_by, claim_hash } = pending;
    const set = { status: "claimed", claimed_by, claim_hash } as const;
    await tables(db).updateTable("task").set(set).where("id", "=", task.id).execute();
    const key = { taskId: task.id, token: "token" };
    await endClaim(db, key, { status: "failed", error: "second" }, isoTime(clock.now()));
    await open().look();
    expect(email.smtp.emails).toHaveLength(1);
    expect(email.emails()[0]?.text).toContain("second");
    expect(await outcomes()).toEqual(["seen", "emailed"]);
  });

  it("goes on with the next when an email can't be sent, and without an address", async () => {
    to = "no address";
    await ended({ status: "failed", error: "x" });
    await open().look();
    to = null;
    await ended({ status: "failed", error: "y" });
    await open().look();
    expect(await outcomes()).toEqual(["failed", "logged"]);
  });

  it("lets no line of a task become a header of its email", async () => {
    const title = "A\u2028Bcc: thief@example.com";
    await ended({ status: "failed", error: "x\r\nBcc: thief@example.com" }, { title });
    await open().look();
    expect(email.smtp.emails[0]?.to).toEqual(["owner@example.com"]);
    expect(email.smtp.emails[0]?.source).not.toMatch(/^Bcc:/m);
  });
});
