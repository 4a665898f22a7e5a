import type { KyselyPlugin } from "kysely";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import type { Answer } from "../../../../../test/support/admin-session.ts";
import { makeTestDatabase } from "../../../../../test/support/database.ts";
import { defaultLimits } from "../../platform/config.ts";
import { makeAccounts } from "./accounts.ts";

/** The parts of a response that an outsider can see. */
function seen({ status, headers, text }: Answer<unknown>) {
  const { date: _, "x-request-id": __, ...others } = headers;
  return { status, headers: others, text };
}

const known = "known@example.org";
const unconfirmed = "unconfirmed@example.org";
const unknownVisitor = "stranger@example.org";
const refused = "refused@elsewhere.example";

/** Starts a site with a confirmed and an unconfirmed account that counts SQL statements. */
async function startPopulated() {
  const stack = new AsyncDisposableStack();
  const statements: string[] = [];
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { database } = stack.use(await makeTestDatabase());
  const site = stack.use(
    await startAccountApp({
      db: database.db.withPlugin(counting),
      mayJoin: async (email) => email !== refused,
    }),
  );
  await site.join(known);
  await site.browser().post("/api/account/signup", { email: unconfirmed, password: userPassword });
  await site.email.deliver();
  return { site, statements, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function measure(
  { site, statements }: { site: AccountApp; statements: string[] },
  path: string,
  body: object,
) {
  const arrived = site.email.emails().length;
  statements.length = 0;
  const hashes = site.counts.hashes;
  const response = await site.browser("203.0.113.7").post(path, body);
  const work = { hashes: site.counts.hashes - hashes, statements: statements.length };
  await site.email.deliver();
  return { answer: seen(response), work, mails: site.email.emails().slice(arrived) };
}

describe("abuse 31: nothing reveals whether an address is known", () => {
  test("a sign-up: same body, same work; the owner of a known address gets a notice", async () => {
    await using populated = await startPopulated();
    const ask = (email: string) => {
      const password = "another fine password";
      return measure(populated, "/api/account/signup", { email, password, name: "X" });
    };
    const fresh = await ask(unknownVisitor);
    expect(fresh.answer).toMatchObject({
      status: 202,
      text: '{"ok":true,"data":{"accepted":true},"error":null}',
    });
    expect(fresh.work.hashes).toBe(1);
    expect(fresh.mails).toMatchObject([
      { to: unknownVisitor, links: [expect.stringContaining("token=")] },
    ]);
    const others = [await ask(known), await ask(unconfirmed), await ask(refused)];
    for (const other of others) {
      expect(other.answer).toEqual(fresh.answer);
      expect(other.work.hashes).toBe(1);
      expect(Math.abs(other.work.statements - fresh.work.statements)).toBeLessThanOrEqual(2);
    }
    expect(others.map(({ mails: emails }) => emails.map(({ to }) => to))).toEqual([
      [known],
      [unconfirmed],
      [],
    ]);
    expect(others[0]?.mails[0]?.subject).toBe("You already have an account at A Portfolio");
    expect(others[0]?.mails[0]?.text).not.toContain("token=");
  });

  test("the address of a refused request isn't stored", async () => {
    await using populated = await startPopulated();
    const { db } = populated.site;
    await measure(populated, "/api/account/signup", { email: refused, password: userPassword });
    const tables = db.withTables<{
      user_account: { email: string };
      user_token: { email: string };
    }>();
    const users = await tables.selectFrom("user_account").select("email").execute();
    const tokens = await tables.selectFrom("user_token").select("email").execute();
    expect(users.map(({ email }) => email).toSorted()).toEqual([known, unconfirmed]);
    expect(tokens.map(({ email }) => email)).not.toContain(refused);
  });

  test("resend and reset: same body, same work; email only for known addresses", async () => {
    await using populated = await startPopulated();
    for (const [path, reached, silent] of [
      ["/api/account/password/forgot", known, unknownVisitor],
      ["/api/account/resend", unconfirmed, known],
    ] as const) {
      const reported = await measure(populated, path, { email: reached });
      const unreported = await measure(populated, path, { email: silent });
      expect(reported.answer).toMatchObject({ status: 202 });
      expect(unreported.answer).toEqual(reported.answer);
      expect(Math.abs(reported.work.statements - unreported.work.statements)).toBeLessThanOrEqual(
        1,
      );
      expect([reported.mails.length, unreported.mails.length]).toEqual([1, 0]);
    }
  });

  test("a sign-in: same body, same work, also for the right password of an unconfirmed address", async () => {
    await using populated = await startPopulated();
    const ask = (email: string, password: string) =>
      measure(populated, "/api/account/signin", { email, password });
    const wrong = await ask(known, "not the password");
    expect(wrong.answer.status).toBe(401);
    expect(wrong.work).toEqual({ hashes: 1, statements: 1 });
    for (const other of [
      await ask(unknownVisitor, userPassword),
      await ask(unconfirmed, userPassword),
    ]) {
      expect(other.answer).toEqual(wrong.answer);
      expect(other.work).toEqual(wrong.work);
    }
  });

  test("abuse 31: delivery starts some time after the response, so that it doesn't delay the next request", async () => {
    await using site = await startAccountApp();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let woken = 0;
    const wake = () => (woken += 1);
    const accounts = makeAccounts({
      db: site.db,
      clock: site.clock,
      outbox: { enqueue: site.email.outbox.enqueue, wake },
      limits: defaultLimits.accounts,
      siteName: "A Portfolio",
      canSignUp: async () => true,
    });
    const visitor = { address: "::1", bucket: "::1", trusted: true, userAgent: "" };
    await accounts.forgot({ email: known }, visitor);
    vi.advanceTimersByTime(99);
    expect(woken).toBe(0);
    vi.advanceTimersByTime(901);
    expect(woken).toBe(1);
  });

  test("limits count known and unknown addresses alike", async () => {
    await using populated = await startPopulated();
    const { site } = populated;
    const series = async (email: string, client: string) => {
      const browser = site.browser(client);
      const statuses: number[] = [];
      for (let i = 0; i < 11; i += 1) {
        const reply = { email, password: "a wrong password" };
        statuses.push((await browser.post("/api/account/signin", reply)).status);
      }
      const last = await site.browser("192.0.2.99").post("/api/account/signin", {
        email,
        password: "a wrong password",
      });
      return { statuses, last: seen(last) };
    };
    const ofKnown = await series(known, "192.0.2.1");
    expect(ofKnown.statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(ofKnown.last.status).toBe(429);
    expect(await series(unknownVisitor, "198.51.100.202")).toEqual(ofKnown);
  });
});
