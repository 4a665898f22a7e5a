import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { isoTime } from "../../kit/time.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { maxSessionsPerUser } from "./sessions.ts";
import { findUserByEmail, findUserById, insertUser } from "./store.ts";
import { sweepAccounts } from "./sweep.ts";
import { issueToken, readToken, takeToken } from "./tokens.ts";

const email = "ada@example.org";
const day = 24 * 60 * 60_000;

type Counted = "user_account" | "user_session" | "user_token" | "linked_account";

async function count({ db }: AccountApp, table: Counted): Promise<number> {
  const { rows } = await db
    .withTables<Record<Counted, { id: number }>>()
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

function race<T>(racers: number, work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: racers }, (_, i) => work(i)));
}

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());

  async function start(): Promise<AccountApp> {
    const { database } = await maker.make();
    const clock = fakeClock();
    await migrate({ database, now: clock.now() });
    return startAccountApp({ db: database.db, clock });
  }

  test("abuse 39: 50 racing sign-ups of one address → one row, one live link", async () => {
    await using site = await start();
    const responses = await race(50, (i) =>
      site.browser().post("/api/account/signup", {
        email: i % 2 === 0 ? email : email.toUpperCase(),
        password: `one of many passwords ${i}`,
      }),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(202);
    expect(await count(site, "user_account")).toBe(1);
    expect(await count(site, "user_token")).toBe(1);
  });

  test("a token is used only once, even by concurrent requests", async () => {
    await using site = await start();
    const { db } = site;
    const now = site.clock.now();
    const token = await issueToken(db, { purpose: "invite", email, userId: null, now });
    expect(await readToken(db, token, "invite", now)).toMatchObject({ email });
    const tries = Array.from({ length: 50 }, () => takeToken(db, token, "invite", now));
    const taken = await Promise.allSettled(tries);
    expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readToken(db, token, "invite", now)).toBeNull();
    const invitation = await issueToken(db, { purpose: "invite", email, userId: null, now });
    const responses = await race(12, (i) =>
      site
        .browser()
        .post("/api/account/accept", { token: invitation, password: `fine phrase ${i}` }),
    );
    expect(
      responses
        .map(({ status }) => status)
        .toSorted()
        .slice(0, 2),
    ).toEqual([201, 400]);
    expect(await count(site, "user_account")).toBe(1);
    expect(await count(site, "user_session")).toBe(1);
  });

  test("concurrent password resets leave one valid link", async () => {
    await using site = await start();
    await site.join(email);
    await race(12, () => site.browser().post("/api/account/password/forgot", { email }));
    const tokens = site.db.withTables<{ user_token: { purpose: string } }>();
    const left = await tokens
      .selectFrom("user_token")
      .where("purpose", "=", "reset")
      .select("purpose")
      .execute();
    expect(left).toHaveLength(1);
  });

  test("a sign-in concurrent with a password change starts no session with the old password", async () => {
    await using site = await start();
    const user = await site.join(email);
    const change = { current: userPassword, password: "another fine password" };
    const [changed, ...signedIn] = await Promise.all([
      user.post("/api/account/password/change", change),
      // Including the user's own session, this reaches the limit; one more would end a session.
      ...Array.from({ length: maxSessionsPerUser - 1 }, () =>
        site.browser().post("/api/account/signin", { email, password: userPassword }),
      ),
    ]);
    expect(changed.status).toBe(200);
    expect(new Set(signedIn.map(({ status }) => status)).difference(new Set([200, 401])).size).toBe(
      0,
    );
    expect(await count(site, "user_session")).toBe(1);
    expect((await user.get("/api/account/me")).status).toBe(200);
  });

  test("concurrent sign-ins respect the session limit", async () => {
    await using site = await start();
    await site.join(email);
    await race(maxSessionsPerUser + 10, () =>
      site.browser().post("/api/account/signin", { email, password: userPassword }),
    );
    await site.browser().post("/api/account/signin", { email, password: userPassword });
    expect(await count(site, "user_session")).toBe(maxSessionsPerUser);
  });

  test("addresses are unique regardless of case; deleting an account deletes all its data", async () => {
    await using site = await start();
    const { db } = site;
    const now = isoTime(site.clock.now());
    const person = { email: "Bob@Example.org", name: "", passwordHash: null, verifiedAt: now, now };
    const id = await insertUser(db, person);
    expect(await insertUser(db, { ...person, email: "bob@example.ORG" })).toBeNull();
    expect(await findUserByEmail(db, "BOB@example.org")).toMatchObject({
      id,
      email: "bob@example.org",
      verified: true,
      hasPassword: false,
    });
    const user = await site.join(email);
    await site.browser().post("/api/account/password/forgot", { email });
    await issueToken(db, { purpose: "invite", email, userId: null, now: site.clock.now() });
    const found = await findUserByEmail(db, email);
    expect((await user.post("/api/account/delete", { password: userPassword })).status).toBe(200);
    expect(await findUserById(db, found?.id ?? 0)).toBeNull();
    expect(await count(site, "user_session")).toBe(0);
    expect(await count(site, "user_token")).toBe(0);
  });

  test("cleanup removes only expired rows", async () => {
    await using site = await start();
    const { db, clock } = site;
    await site.join(email);
    await site
      .browser()
      .post("/api/account/signup", { email: "never@example.org", password: userPassword });
    await site.browser().post("/api/account/password/forgot", { email: "nobody@example.org" });
    // Only the link that Ada has used.
    expect(await sweepAccounts(db, clock.now())).toEqual({ tokens: 1, sessions: 0, accounts: 0 });
    expect(await sweepAccounts(db, clock.now() + day)).toEqual({
      tokens: 2,
      sessions: 0,
      accounts: 0,
    });
    expect(await sweepAccounts(db, clock.now() + 31 * day)).toEqual({
      tokens: 0,
      sessions: 1,
      accounts: 1,
    });
    expect(await findUserByEmail(db, email)).not.toBeNull();
  });
});
