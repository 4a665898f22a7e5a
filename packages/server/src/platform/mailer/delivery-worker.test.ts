import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeClock, type FakeClock } from "../../../../../test/support/clock.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startEmail, type TestEmail, testKeyring } from "../../../../../test/support/email.ts";
import { silentLog } from "../../../../../test/support/media-library.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Db } from "../db/connect.ts";
import { migrate } from "../db/migrate.ts";
import { nodeBinary, platformRoot } from "../paths.ts";
import { type DeliveryWorker, makeDeliveryWorker } from "./delivery-worker.ts";
import type { EmailTransports } from "./email.ts";
import {
  countStuckEmails,
  findEmail,
  listEmails,
  type OutboxRow,
  retryEmail,
} from "./outbox-store.ts";
import type { OutgoingEmail } from "./outgoing-email.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** As pino writes it. */
const warnLevel = 40;

const verify: OutgoingEmail = {
  purpose: "verify",
  to: "new@example.com",
  subject: "Confirm your address",
  content: {
    paragraphs: ["Welcome."],
    action: { label: "Confirm it", path: "/account/verify?token=t-secret" },
  },
};

describe.each(dialects)("the outbox on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let address: { url: string | null; file: string };
  let clock: FakeClock;
  let email: TestEmail;
  const keyring = testKeyring();
  const others: DeliveryWorker[] = [];

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const made = await maker.make();
    ({ address } = made);
    ({ db } = made.database);
    await migrate({ database: made.database, now: 0 });
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    await db.withTables<{ outbox_email: object }>().deleteFrom("outbox_email").execute();
    clock = fakeClock();
    email = await startEmail({ db, clock, keyring });
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
    await email[Symbol.asyncDispose]();
  });

  const post = (given: Partial<OutgoingEmail> = {}) =>
    email.outbox.enqueue(db, { ...verify, ...given });
  const rowOf = async (id: number) => (await findEmail(db, id)) as OutboxRow;

  function another(routes: EmailTransports | null = email.transports): DeliveryWorker {
    const options = {
      db,
      keyring,
      clock,
      log: silentLog,
      transports: async () => routes,
      graceMs: 50,
    };
    const delivery = makeDeliveryWorker(options);
    others.push(delivery);
    return delivery;
  }

  it("sends what was posted once, and erases what it said", async () => {
    const id = await post();
    await email.deliver();
    await email.deliver();
    expect(email.emails()).toHaveLength(1);
    expect(email.last("new@example.com")).toMatchObject({
      subject: "Confirm your address",
      links: ["https://me.example/account/verify?token=t-secret"],
      html: expect.stringContaining("Welcome."),
    });
    const at = new Date(clock.now()).toISOString();
    expect(await rowOf(id)).toMatchObject({
      status: "sent",
      sent_by: "smtp",
      sent_at: at,
      attempts: 1,
      ciphertext: null,
      key_id: null,
    });
  });

  it("abuse 42: no link is readable in the database, before or after", async () => {
    await post();
    const before = JSON.stringify(await listEmails(db, { page: 1, perPage: 10 }));
    await email.deliver();
    const after = JSON.stringify(await listEmails(db, { page: 1, perPage: 10 }));
    expect(before + after).not.toMatch(/t-secret|token|Welcome/);
    expect(email.logged()).not.toContain("t-secret");
  });

  it("posts nothing when the transaction is undone", async () => {
    const undone = db.transaction().execute(async (trx) => {
      await email.outbox.enqueue(trx, verify);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await email.deliver();
    expect(email.emails()).toEqual([]);
    expect((await listEmails(db, { page: 1, perPage: 10 })).total).toBe(0);
  });

  it("is in the log after the first try, and tried again after growing pauses", async () => {
    email.smtp.answers = 451;
    const id = await post();
    const pauses: number[] = [];
    for (let tries = 1; tries <= 5; tries += 1) {
      await email.deliver();
      const row = await rowOf(id);
      expect(row).toMatchObject({ status: "waiting", attempts: tries });
      pauses.push(Date.parse(row.due_at) - clock.now());
      clock.advance(pauses.at(-1)! - 1);
      await email.deliver();
      expect((await rowOf(id)).attempts).toBe(tries);
      clock.advance(1);
    }
    expect(pauses).toEqual([10_000, minute, 5 * minute, 15 * minute, 60 * minute]);
    expect(email.logged().split("t-secret")).toHaveLength(2);
    await email.deliver();
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: "logged", sent_by: "log", attempts: 6 });
    expect(JSON.parse(row.failures)).toHaveLength(6);
    const reported = email.logged().split("\n");
    const last =
      reported.findLast((line) => line.includes("/account/verify?token=t-secret")) ?? "{}";
    // Also a log that is kept short has it.
    expect(JSON.parse(last)).toMatchObject({ level: warnLevel, purpose: "verify" });
    clock.advance(day);
    await email.deliver();
    expect((await rowOf(id)).attempts).toBe(6);
  });

  it("abuse 45: provider and server both dead: the email waits, is logged, and can be sent again", async () => {
    const dead = {
      provider: "generic",
      key: "k",
      url: "http://127.0.0.1:1/",
      domain: null,
    } as const;
    const smtp = { host: "127.0.0.1", port: 1, secure: false, user: null, password: null };
    const delivery = another({ from: "site@example.com", http: dead, smtp });
    const id = await post();
    const since = new Date(clock.now()).toISOString();
    await delivery.sendDue();
    expect(await countStuckEmails(db, since)).toBe(1);
    for (let tries = 1; tries < 6; tries += 1) {
      clock.advance(60 * minute);
      await delivery.sendDue();
    }
    const row = await rowOf(id);
    expect(row.status).toBe("logged");
    expect(await countStuckEmails(db, since)).toBe(1);
    expect(JSON.parse(row.failures).slice(-2)).toEqual([
      expect.stringMatching(/^generic: /),
      expect.stringMatching(/^SMTP: /),
    ]);
    expect(await retryEmail(db, id, { now: clock.now() })).toBe(true);
    await email.deliver();
    expect(email.last("new@example.com")?.links).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 1 });
    expect(await retryEmail(db, id, { now: clock.now() })).toBe(false);
  });

  it("abuse 252: a provider's address that is a key service of a cloud gets no request", async () => {
    const http = {
      provider: "generic",
      key: "k",
      url: "http://169.254.169.254/latest",
      domain: null,
    } as const;
    const id = await post();
    await another({ from: "site@example.com", http, smtp: null }).sendDue();
    expect((await rowOf(id)).failures).toContain("doesn't connect to 169.254.169.254");
  });

  it("does not ask again who says no for good", async () => {
    email.smtp.answers = 550;
    const id = await post();
    await email.deliver();
    clock.advance(day);
    await email.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "failed", attempts: 1, sent_by: null });
    expect(email.logged()).not.toContain("t-secret");
  });

  it("logs at once while nothing is set", async () => {
    const id = await post();
    await another(null).sendDue();
    expect(await rowOf(id)).toMatchObject({ status: "logged", attempts: 1, failures: "[]" });
  });

  it("keeps what nobody took for a week, and that there was an email for 30 days", async () => {
    const logged = await post();
    await another(null).sendDue();
    const sent = await post();
    await email.deliver();
    clock.advance(7 * day - 1);
    await another().sendDue();
    expect((await rowOf(logged)).ciphertext).not.toBeNull();
    clock.advance(2);
    await another().sendDue();
    expect((await rowOf(logged)).ciphertext).toBeNull();
    expect(await retryEmail(db, logged, { now: clock.now() })).toBe(false);
    clock.advance(23 * day);
    await another().sendDue();
    expect([await findEmail(db, logged), await findEmail(db, sent)]).toEqual([null, null]);
  });

  it("sends one email once though several look at the same moment", async () => {
    for (let n = 0; n < 12; n += 1) await post({ to: `reader${n}@example.com` });
    const all = [email.deliveryWorker, another(), another(), another()];
    await Promise.all(all.map((delivery) => delivery.sendDue()));
    expect(new Set(email.emails().map(({ to }) => to)).size).toBe(12);
    expect(email.emails()).toHaveLength(12);
  });

  it("lets nobody wait for one that is never answered", async () => {
    email.smtp.answers = "never";
    await post({ to: "slow@example.com" });
    email.deliveryWorker.wake();
    await eventually(() => expect(email.smtp.emails).toHaveLength(1));
    email.smtp.answers = null;
    const id = await post();
    email.deliveryWorker.wake();
    await eventually(async () => expect((await rowOf(id)).status).toBe("sent"));
  });

  it("gives back at its end what is under way, and takes up no more", async () => {
    email.smtp.answers = "never";
    const id = await post();
    email.deliveryWorker.wake();
    await eventually(() => expect(email.smtp.emails).toHaveLength(1));
    await email.deliveryWorker.close();
    expect(await rowOf(id)).toMatchObject({ status: "waiting", attempts: 1 });
    email.deliveryWorker.wake();
    email.smtp.answers = null;
    await another().sendDue();
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 2 });
    const ids = email.emails().map(({ headers }) => headers["message-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it("costs one email one double at most when its sender is killed before it is noted", async () => {
    const program = join(platformRoot, "test/support/email-process.ts");
    const key = keyring.keys.get("k1")?.toString("base64url");
    const argument = JSON.stringify({ ...address, key, port: email.smtp.port });
    const start = (): ChildProcess => spawn(nodeBinary, [program, argument], { stdio: "inherit" });
    email.smtp.answers = "never";
    clock.setWall(Date.now());
    const id = await post();
    const child = start();
    await eventually(() => expect(email.smtp.emails).toHaveLength(1));
    child.kill("SIGKILL");
    await once(child, "exit");
    email.smtp.answers = null;
    await email.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "sending", attempts: 1 });
    clock.advance(3 * minute);
    await email.deliver();
    await email.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 2 });
    const ids = email.emails().map(({ headers }) => headers["message-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it("goes on with the others when one can't be opened", async () => {
    const other = await startEmail({ db, clock });
    const lost = await other.outbox.enqueue(db, verify);
    await other[Symbol.asyncDispose]();
    await post();
    await email.deliver();
    expect(email.emails()).toHaveLength(1);
    const row = await rowOf(lost);
    expect(row).toMatchObject({ status: "failed", attempts: 1 });
    expect(row.failures).toContain("can't be decrypted");
  });

  it("sends no text to another's address, though somebody swaps the rows", async () => {
    const mine = await post({ to: "thief@example.com" });
    const theirs = await rowOf(await post());
    const tables = db.withTables<{ outbox_email: { id: number; ciphertext: string | null } }>();
    const { ciphertext } = theirs;
    await tables.updateTable("outbox_email").set({ ciphertext }).where("id", "=", mine).execute();
    await email.deliver();
    expect(email.emails().map(({ to }) => to)).toEqual(["new@example.com"]);
    expect((await rowOf(mine)).status).toBe("failed");
  });

  it("is not put off by a clock that was set back", async () => {
    clock.advance(365 * day);
    const id = await post();
    clock.setWall(clock.now() - 365 * day);
    await email.deliver();
    expect((await rowOf(id)).status).toBe("sent");
  });

  it("holds an email for who sends it themselves, and for others once that one is gone", async () => {
    const held = await email.outbox.reserve(db, verify, 2 * minute);
    await another().sendDue();
    expect(email.emails()).toEqual([]);
    expect(await email.deliveryWorker.sendReserved(held)).toEqual({ by: "smtp", failures: [] });
    await expect(email.deliveryWorker.sendReserved(held)).rejects.toMatchObject({
      code: "conflict",
    });
    const left = await email.outbox.reserve(db, verify, 2 * minute);
    clock.advance(2 * minute);
    await another().sendDue();
    expect(await rowOf(left)).toMatchObject({ status: "sent" });
    expect(email.emails()).toHaveLength(2);
  });

  it("says at once when what is sent at once is not taken", async () => {
    email.smtp.answers = 451;
    const held = await email.outbox.reserve(db, verify, 2 * minute);
    const sent = await email.deliveryWorker.sendReserved(held);
    expect(sent).toMatchObject({ by: "log", failures: [expect.stringMatching(/^SMTP: /)] });
    expect((await rowOf(held)).status).toBe("logged");
  });
});
