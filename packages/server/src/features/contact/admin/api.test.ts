import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../../test/support/admin.ts";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { startEmail } from "../../../../../../test/support/email.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { makeContact } from "../contact.ts";
import { exportMessages, readMessages } from "../messages.ts";
import type { MessageList } from "../schema.ts";
import { countMessages, countUnread, deleteMessages, insertMessage, markRead } from "../store.ts";
import { registerMessages } from "./api.ts";

const at = "2026-01-15T12:00:00.000Z";
const plain = {
  name: "Ada",
  email: "ada@example.org",
  message: "Hello",
  at,
  ip: "203.0.113.7",
  user_agent: "Browser",
  email_id: null,
};

describe("over HTTP", () => {
  let app: AdminApp;
  let cookie: string;

  beforeEach(async () => {
    app = await startAdminApp({
      register: (server, parts) => registerMessages(server, parts),
    });
    cookie = await app.signIn();
    for (const name of ["Ada", "Grace", "Mary"]) await insertMessage(app.db, { ...plain, name });
  });
  afterEach(() => app.cleanup());

  async function ask<T>(path: string, body?: unknown) {
    const headers = { cookie, origin: "http://localhost:3000" };
    const options = body === undefined ? { headers } : { headers, body };
    const response = await app.ask(`/api/adminmessages${path}`, options);
    return { ...response, data: () => response.json().data as unknown as T };
  }
  const names = (list: MessageList) => list.items.map(({ name }) => name);

  test("messages are listed newest first and can be searched", async () => {
    const all = (await ask<MessageList>("/list")).data();
    expect(names(all)).toEqual(["Mary", "Grace", "Ada"]);
    expect(all).toMatchObject({ total: 3, unread: 3, page: 1 });
    expect(names((await ask<MessageList>("/list?q=GRA")).data())).toEqual(["Grace"]);
    expect(names((await ask<MessageList>("/list?q=%25")).data())).toEqual([]);
    expect(names((await ask<MessageList>("/list?perPage=1&page=2")).data())).toEqual(["Grace"]);
    expect((await ask("/list?perPage=0")).status).toBe(422);
    expect((await ask("/list?unread=maybe")).status).toBe(422);
  });

  test("several messages are marked as read at once, and as unread again", async () => {
    expect((await ask("/read", { ids: [1, 2, 2, 99], read: true })).data()).toEqual({
      changed: 2,
      unread: 1,
    });
    expect(names((await ask<MessageList>("/list?unread=true")).data())).toEqual(["Mary"]);
    expect(names((await ask<MessageList>("/list?unread=false")).data())).toEqual(["Grace", "Ada"]);
    expect(names((await ask<MessageList>("/list")).data())).toEqual(["Mary", "Grace", "Ada"]);
    await ask("/read", { ids: [2], read: false });
    expect(names((await ask<MessageList>("/list")).data())).toEqual(["Mary", "Grace", "Ada"]);
    await ask("/read", { ids: [2, 3], read: true });
    await ask("/read", { ids: [1, 3], read: false });
    expect(names((await ask<MessageList>("/list")).data())).toEqual(["Mary", "Ada", "Grace"]);
    await ask("/read", { ids: [1], read: true });
    const first = (await ask<MessageList>("/list?unread=false")).data().items[0]?.readAt;
    app.clock.advance(1000);
    await ask("/read", { ids: [2], read: true });
    expect((await ask<MessageList>("/list?unread=false")).data().items[0]?.readAt).toBe(first);
    expect((await ask("/read", { ids: [2], read: false })).data()).toMatchObject({ unread: 2 });
    expect((await ask("/read", { ids: [], read: true })).status).toBe(422);
    expect((await ask("/read", { ids: [1] })).status).toBe(422);
  });

  test("several messages are deleted at once", async () => {
    expect((await ask("/delete", { ids: [1, 3, 99] })).data()).toEqual({ changed: 2, unread: 1 });
    expect(names((await ask<MessageList>("/list")).data())).toEqual(["Grace"]);
    expect((await ask("/delete", { ids: ["2"] })).status).toBe(422);
  });

  test("all messages can be downloaded as a file", async () => {
    const csv = await ask("/export?format=csv");
    expect(csv.headers["content-type"]).toContain("text/csv");
    expect(csv.headers["content-disposition"]).toBe(
      'attachment; filename="messages-2026-01-15.csv"',
    );
    expect(csv.text.split("\r\n")).toHaveLength(5);
    const json = await ask("/export?format=json");
    expect(JSON.parse(json.text)).toMatchObject([{ name: "Ada" }, { name: "Grace" }, {}]);
    expect((await ask("/export?format=xls")).status).toBe(422);
  });

  test("only the admin has access", async () => {
    for (const path of ["/list", "/export?format=json"]) {
      expect((await app.ask(`/api/adminmessages${path}`)).status).toBe(401);
    }
    for (const path of ["/read", "/delete"]) {
      const body = { ids: [1] };
      expect((await app.ask(`/api/adminmessages${path}`, { body })).status).toBe(401);
      const headers = { cookie, origin: "https://evil.example" };
      const foreign = await app.ask(`/api/adminmessages${path}`, { body, headers });
      expect(foreign.status).toBe(403);
    }
    expect(await countMessages(app.db)).toBe(3);
  });
});

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    ({ db } = database);
    await migrate({ database, now: 0 });
  });
  afterAll(() => maker?.close());

  it("keeps, tells, finds, marks, exports and forgets", async () => {
    const clock = fakeClock();
    const email = await startEmail({ db, clock });
    const contact = makeContact({
      db,
      clock,
      outbox: email.outbox,
      to: async () => "owner@example.com",
    });
    const visitor = { address: "203.0.113.7", userAgent: "x".repeat(2000) };
    const message = { name: "Ada", email: "ada@example.org", message: "Are you free? 100 %" };
    await contact.receive(message, visitor);
    await insertMessage(db, plain);
    expect([await countMessages(db), await countUnread(db)]).toEqual([2, 2]);
    const query = { page: 1, perPage: 25 };
    expect((await readMessages(db, query)).items[1]).toMatchObject({ emailStatus: "waiting" });
    await email.deliver();
    const found = await readMessages(db, { ...query, q: "100 %" });
    expect(found).toMatchObject({
      total: 1,
      unread: 2,
      items: [{ emailStatus: "sent", ...message }],
    });
    const id = found.items[0]?.id ?? 0;
    expect(await markRead(db, [id], isoTime(clock.now()))).toBe(1);
    expect((await readMessages(db, { ...query, unread: true })).total).toBe(1);
    expect(await deleteMessages(db, [id])).toBe(1);
    expect(await countMessages(db)).toBe(1);
    await email[Symbol.asyncDispose]();
  });

  it("writes no formula into a table, and leaves out nothing of many", async () => {
    await deleteMessages(
      db,
      (await readMessages(db, { page: 1, perPage: 100 })).items.map(({ id }) => id),
    );
    const cells = ["=1+1", " @SUM(A1)", "+46 1", "-1", "＝1", 'say "hi", =x', "a\nb"];
    for (const message of cells) await insertMessage(db, { ...plain, message });
    const csv = (await Array.fromAsync(exportMessages(db, "csv"))).join("");
    for (const cell of ["'=1+1", "' @SUM(A1)", "'+46 1", "'-1", "'＝1"]) {
      expect(csv).toContain(`,"${cell}",`);
    }
    expect(csv).toContain(',"say ""hi"", =x",');
    expect(csv).toContain(',"a\r\nb",');
    for (let n = 0; n < 450; n += 1) await insertMessage(db, plain);
    const rows = JSON.parse((await Array.fromAsync(exportMessages(db, "json"))).join(""));
    expect(rows).toHaveLength(457);
    expect(new Set(rows.map(({ id }: { id: number }) => id)).size).toBe(457);
  });
});
