import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeClock, type FakeClock } from "../../../../../test/support/clock.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startMail, type TestMail, testKeyring } from "../../../../../test/support/mail.ts";
import { silentLog } from "../../../../../test/support/media-library.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Db } from "../db/connect.ts";
import { migrate } from "../db/migrate.ts";
import { nodeBinary, platformRoot } from "../paths.ts";
import { type Delivery, makeDelivery } from "./delivery.ts";
import type { MailRoutes } from "./mail.ts";
import { findMail, listMails, type OutboxRow, retryMail } from "./outbox-store.ts";
import type { OutgoingMail } from "./outgoing.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** As pino writes it. */
const warnLevel = 40;

const verify: OutgoingMail = {
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
  let mail: TestMail;
  const keyring = testKeyring();
  const others: Delivery[] = [];

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const made = await maker.make();
    ({ address } = made);
    ({ db } = made.database);
    await migrate({ database: made.database, now: 0 });
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    await db.withTables<{ outbox_mail: object }>().deleteFrom("outbox_mail").execute();
    clock = fakeClock();
    mail = await startMail({ db, clock, keyring });
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
    await mail[Symbol.asyncDispose]();
  });

  const post = (given: Partial<OutgoingMail> = {}) => mail.outbox.post(db, { ...verify, ...given });
  const rowOf = async (id: number) => (await findMail(db, id)) as OutboxRow;

  function another(routes: MailRoutes | null = mail.routes): Delivery {
    const options = { db, keyring, clock, log: silentLog, routes: async () => routes, graceMs: 50 };
    const delivery = makeDelivery(options);
    others.push(delivery);
    return delivery;
  }

  it("sends what was posted once, and erases what it said", async () => {
    const id = await post();
    await mail.deliver();
    await mail.deliver();
    expect(mail.mails()).toHaveLength(1);
    expect(mail.last("new@example.com")).toMatchObject({
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
    const before = JSON.stringify(await listMails(db, { page: 1, perPage: 10 }));
    await mail.deliver();
    const after = JSON.stringify(await listMails(db, { page: 1, perPage: 10 }));
    expect(before + after).not.toMatch(/t-secret|token|Welcome/);
    expect(mail.logged()).not.toContain("t-secret");
  });

  it("posts nothing when the transaction is undone", async () => {
    const undone = db.transaction().execute(async (trx) => {
      await mail.outbox.post(trx, verify);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await mail.deliver();
    expect(mail.mails()).toEqual([]);
    expect((await listMails(db, { page: 1, perPage: 10 })).total).toBe(0);
  });

  it("tries again after growing pauses, and then it stands in the log", async () => {
    mail.smtp.answers = 451;
    const id = await post();
    const pauses: number[] = [];
    for (let tries = 1; tries <= 5; tries += 1) {
      await mail.deliver();
      const row = await rowOf(id);
      expect(row).toMatchObject({ status: "waiting", attempts: tries });
      pauses.push(Date.parse(row.due_at) - clock.now());
      clock.advance(pauses.at(-1)! - 1);
      await mail.deliver();
      expect((await rowOf(id)).attempts).toBe(tries);
      clock.advance(1);
    }
    expect(pauses).toEqual([10_000, minute, 5 * minute, 15 * minute, 60 * minute]);
    expect(mail.logged()).not.toContain("t-secret");
    await mail.deliver();
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: "logged", sent_by: "log", attempts: 6 });
    expect(JSON.parse(row.failures)).toHaveLength(6);
    const told = mail.logged().split("\n");
    const last = told.find((line) => line.includes("/account/verify?token=t-secret")) ?? "{}";
    // Also a log that is kept short has it.
    expect(JSON.parse(last)).toMatchObject({ level: warnLevel, purpose: "verify" });
    clock.advance(day);
    await mail.deliver();
    expect((await rowOf(id)).attempts).toBe(6);
  });

  it("abuse 45: provider and server both dead: the mail waits, is logged, and can be sent again", async () => {
    const dead = {
      provider: "generic",
      key: "k",
      url: "http://127.0.0.1:1/",
      domain: null,
    } as const;
    const smtp = { host: "127.0.0.1", port: 1, secure: false, user: null, password: null };
    const delivery = another({ from: "site@example.com", http: dead, smtp });
    const id = await post();
    for (let tries = 0; tries < 6; tries += 1) {
      await delivery.look();
      clock.advance(60 * minute);
    }
    const row = await rowOf(id);
    expect(row.status).toBe("logged");
    expect(JSON.parse(row.failures).slice(-2)).toEqual([
      expect.stringMatching(/^generic: /),
      expect.stringMatching(/^SMTP: /),
    ]);
    expect(await retryMail(db, id, { now: clock.now() })).toBe(true);
    await mail.deliver();
    expect(mail.last("new@example.com")?.links).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 1 });
    expect(await retryMail(db, id, { now: clock.now() })).toBe(false);
  });

  it("does not ask again who says no for good", async () => {
    mail.smtp.answers = 550;
    const id = await post();
    await mail.deliver();
    clock.advance(day);
    await mail.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "failed", attempts: 1, sent_by: null });
    expect(mail.logged()).not.toContain("t-secret");
  });

  it("logs at once while nothing is set", async () => {
    const id = await post();
    await another(null).look();
    expect(await rowOf(id)).toMatchObject({ status: "logged", attempts: 1, failures: "[]" });
  });

  it("keeps what nobody took for a week, and that there was a mail for 30 days", async () => {
    const logged = await post();
    await another(null).look();
    const sent = await post();
    await mail.deliver();
    clock.advance(7 * day - 1);
    await another().look();
    expect((await rowOf(logged)).ciphertext).not.toBeNull();
    clock.advance(2);
    await another().look();
    expect((await rowOf(logged)).ciphertext).toBeNull();
    expect(await retryMail(db, logged, { now: clock.now() })).toBe(false);
    clock.advance(23 * day);
    await another().look();
    expect([await findMail(db, logged), await findMail(db, sent)]).toEqual([null, null]);
  });

  it("sends one mail once though several look at the same moment", async () => {
    for (let n = 0; n < 12; n += 1) await post({ to: `reader${n}@example.com` });
    const all = [mail.delivery, another(), another(), another()];
    await Promise.all(all.map((delivery) => delivery.look()));
    expect(new Set(mail.mails().map(({ to }) => to)).size).toBe(12);
    expect(mail.mails()).toHaveLength(12);
  });

  it("lets nobody wait for one that is never answered", async () => {
    mail.smtp.answers = "never";
    await post({ to: "slow@example.com" });
    mail.delivery.wake();
    await eventually(() => expect(mail.smtp.mails).toHaveLength(1));
    mail.smtp.answers = null;
    const id = await post();
    mail.delivery.wake();
    await eventually(async () => expect((await rowOf(id)).status).toBe("sent"));
  });

  it("gives back at its end what is under way, and takes up no more", async () => {
    mail.smtp.answers = "never";
    const id = await post();
    mail.delivery.wake();
    await eventually(() => expect(mail.smtp.mails).toHaveLength(1));
    await mail.delivery.close();
    expect(await rowOf(id)).toMatchObject({ status: "waiting", attempts: 1 });
    mail.delivery.wake();
    mail.smtp.answers = null;
    await another().look();
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 2 });
    const ids = mail.mails().map(({ headers }) => headers["message-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it("costs one mail one double at most when its sender is killed before it is noted", async () => {
    const program = join(platformRoot, "test/support/mail-process.ts");
    const key = keyring.keys.get("k1")?.toString("base64url");
    const argument = JSON.stringify({ ...address, key, port: mail.smtp.port });
    const start = (): ChildProcess => spawn(nodeBinary, [program, argument], { stdio: "inherit" });
    mail.smtp.answers = "never";
    clock.setWall(Date.now());
    const id = await post();
    const child = start();
    await eventually(() => expect(mail.smtp.mails).toHaveLength(1));
    child.kill("SIGKILL");
    await once(child, "exit");
    mail.smtp.answers = null;
    await mail.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "sending", attempts: 1 });
    clock.advance(3 * minute);
    await mail.deliver();
    await mail.deliver();
    expect(await rowOf(id)).toMatchObject({ status: "sent", attempts: 2 });
    const ids = mail.mails().map(({ headers }) => headers["message-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it("goes on with the others when one can't be opened", async () => {
    const other = await startMail({ db, clock });
    const lost = await other.outbox.post(db, verify);
    await other[Symbol.asyncDispose]();
    await post();
    await mail.deliver();
    expect(mail.mails()).toHaveLength(1);
    const row = await rowOf(lost);
    expect(row).toMatchObject({ status: "failed", attempts: 1 });
    expect(row.failures).toContain("can't be read any more");
  });

  it("sends no text to another's address, though somebody swaps the rows", async () => {
    const mine = await post({ to: "thief@example.com" });
    const theirs = await rowOf(await post());
    const tables = db.withTables<{ outbox_mail: { id: number; ciphertext: string | null } }>();
    const { ciphertext } = theirs;
    await tables.updateTable("outbox_mail").set({ ciphertext }).where("id", "=", mine).execute();
    await mail.deliver();
    expect(mail.mails().map(({ to }) => to)).toEqual(["new@example.com"]);
    expect((await rowOf(mine)).status).toBe("failed");
  });

  it("is not put off by a clock that was set back", async () => {
    clock.advance(365 * day);
    const id = await post();
    clock.setWall(clock.now() - 365 * day);
    await mail.deliver();
    expect((await rowOf(id)).status).toBe("sent");
  });

  it("holds a mail for who sends it themselves, and for others once that one is gone", async () => {
    const held = await mail.outbox.hold(db, verify, 2 * minute);
    await another().look();
    expect(mail.mails()).toEqual([]);
    expect(await mail.delivery.sendHeld(held)).toEqual({ by: "smtp", failures: [] });
    await expect(mail.delivery.sendHeld(held)).rejects.toMatchObject({ code: "conflict" });
    const left = await mail.outbox.hold(db, verify, 2 * minute);
    clock.advance(2 * minute);
    await another().look();
    expect(await rowOf(left)).toMatchObject({ status: "sent" });
    expect(mail.mails()).toHaveLength(2);
  });

  it("says at once when what is sent at once is not taken", async () => {
    mail.smtp.answers = 451;
    const held = await mail.outbox.hold(db, verify, 2 * minute);
    const sent = await mail.delivery.sendHeld(held);
    expect(sent).toMatchObject({ by: "log", failures: [expect.stringMatching(/^SMTP: /)] });
    expect((await rowOf(held)).status).toBe("logged");
  });
});
