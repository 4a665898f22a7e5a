import { PassThrough } from "node:stream";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock, type FakeClock } from "../../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import { startEmail, type TestEmail } from "../../../../../../test/support/email.ts";
import { isoTime } from "../../../kit/time.ts";
import { newUlid } from "../../../kit/ulid.ts";
import { createLog } from "../../../platform/log.ts";
import { makeSharedPresence } from "../../storage/shared-presence.ts";
import type { RunStatus } from "../schema.ts";
import { insertRun, compareAndSetStatus } from "../store.ts";
import {
  makePreviewNotifications,
  makePresence,
  type PreviewNotifications,
  type PreviewNotificationsDependencies,
  type Presence,
} from "./notifications.ts";

let store: TestDatabase;
let email: TestEmail;
let clock: FakeClock;
let presence: Presence;
let notifications: PreviewNotifications;
let to: string | null;

beforeEach(async () => {
  store = await makeTestDatabase();
  clock = fakeClock();
  email = await startEmail({ db: store.database.db, clock });
  presence = makePresence(clock);
  to = "owner@example.com";
  notifications = open();
});
afterEach(async () => {
  await email[Symbol.asyncDispose]();
  await store.cleanup();
});

function open(given: Partial<PreviewNotificationsDependencies> = {}): PreviewNotifications {
  const log = createLog({ level: "silent", name: "test", destination: new PassThrough() });
  const { db } = store.database;
  const { outbox } = email;
  const made = makePreviewNotifications({
    db,
    clock,
    log,
    presence,
    outbox,
    findRecipient: async () => to,
    ...given,
  });
  return {
    ...made,
    async sendDue() {
      await made.sendDue();
      await email.deliver();
    },
  };
}

async function run(status: RunStatus = "preview_ready"): Promise<string> {
  const { db } = store.database;
  const id = newUlid(clock.now());
  const row = {
    id,
    kind: "edit",
    mode: "build",
    restored_run_id: null,
    model: "m",
    actor: "Editor",
  } as const;
  const at = isoTime(clock.now());
  await insertRun(db, {
    ...row,
    instruction: "Make the\nheading larger",
    page_url: "/about/",
    status: "queued",
    created_at: at,
  });
  await compareAndSetStatus(db, id, ["queued"], {
    status,
    message: "Enlarge the heading",
    summary: "Done.",
  });
  return id;
}

const outcomes = async () => {
  const tables = store.database.db.withTables<{ run_notification: { outcome: string | null } }>();
  const rows = await tables.selectFrom("run_notification").select("outcome").execute();
  return rows.map(({ outcome }) => outcome);
};

test("an owner who has left gets one email, with what was asked and where to look", async () => {
  await notifications.onPreviewReady(await run());
  await notifications.sendDue();
  expect(email.smtp.emails).toHaveLength(0);
  clock.advance(61_000);
  await notifications.sendDue();
  await notifications.sendDue();
  await open().sendDue();
  expect(email.smtp.emails).toHaveLength(1);
  expect(email.emails()[0]).toMatchObject({
    to: "owner@example.com",
    subject: "Preview ready: Enlarge the heading",
    text: expect.stringContaining("> Make the heading larger\n>\n> Done."),
    links: ["https://me.example/about/#console"],
  });
  expect(await outcomes()).toEqual(["emailed"]);
});

test("nobody is told who is there: an open stream, or a hidden tab that still asks", async () => {
  const leave = presence.openStream();
  await notifications.onPreviewReady(await run());
  clock.advance(61_000);
  await notifications.sendDue();
  leave();
  await notifications.onPreviewReady(await run());
  clock.advance(40_000);
  presence.markSeen();
  clock.advance(21_000);
  await notifications.sendDue();
  expect(email.smtp.emails).toHaveLength(0);
  expect(await outcomes()).toEqual(["seen", "seen"]);
});

test("no email is sent to an owner who is present at another node", async () => {
  const sharedPresence = makeSharedPresence(store.database.db);
  const here = open({ sharedPresence });
  const stream = makePresence(clock);
  const there = open({
    sharedPresence,
    presence: stream,
    isOwnedByOther: async () => true,
  });
  const leave = stream.openStream();
  await here.onPreviewReady(await run());
  clock.advance(61_000);
  await there.sendDue();
  await here.sendDue();
  expect(await outcomes()).toEqual(["seen"]);
  leave();
  // As after a minute.
  await sql`delete from stored_ref`.execute(store.database.db);
  await here.onPreviewReady(await run());
  clock.advance(61_000);
  await there.sendDue();
  await here.sendDue();
  expect(await outcomes()).toEqual(["seen", "emailed"]);
  expect(email.smtp.emails).toHaveLength(1);
});

test("a preview that was published or discarded meanwhile is no news", async () => {
  await notifications.onPreviewReady(await run("published"));
  await notifications.onPreviewReady(await run("discarded"));
  clock.advance(61_000);
  await notifications.sendDue();
  expect(email.smtp.emails).toHaveLength(0);
  expect(await outcomes()).toEqual(["seen", "seen"]);
});

test("a restart between ready and due loses nothing", async () => {
  await notifications.onPreviewReady(await run());
  clock.advance(61_000);
  presence = makePresence(clock);
  await open().sendDue();
  expect(email.smtp.emails).toHaveLength(1);
});

test("a kill between ready and its note costs no email", async () => {
  await run();
  await run("published");
  await notifications.recover();
  clock.advance(61_000);
  await notifications.sendDue();
  expect(email.smtp.emails).toHaveLength(1);
});

test("without an address nothing is sent", async () => {
  to = null;
  await notifications.onPreviewReady(await run());
  clock.advance(61_000);
  await notifications.sendDue();
  expect(await outcomes()).toEqual(["logged"]);
});

test("of what another living process has made only that one tells", async () => {
  const id = await run();
  await notifications.onPreviewReady(id);
  clock.advance(61_000);
  let another = true;
  const here = open({ isOwnedByOther: async () => another });
  await here.sendDue();
  expect(email.smtp.emails).toHaveLength(0);
  another = false;
  await here.sendDue();
  expect(email.smtp.emails).toHaveLength(1);
});

test("an address that is none costs that notice alone", async () => {
  to = "nobody";
  await notifications.onPreviewReady(await run());
  clock.advance(61_000);
  await notifications.sendDue();
  to = "owner@example.com";
  await notifications.onPreviewReady(await run());
  clock.advance(61_000);
  await notifications.sendDue();
  expect(email.smtp.emails).toHaveLength(1);
  expect(await outcomes()).toEqual(["failed", "emailed"]);
});
