import { describe, expect, test } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import { defaultLimits } from "../../platform/config.ts";
import type { Allowance, OpenAttemptLimit } from "../../platform/throttle.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { confirmPassword } from "./confirm-password.ts";
import type { Hasher } from "./hasher.ts";
import { makeConfirmBudget } from "./limits.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

const email = "ada@example.org";
const allowed: Allowance = { allowed: true, limit: 10, remaining: 9, retryAfterMs: 0, resetMs: 0 };
const minute = 60_000;

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

async function guess(site: AccountApp, address: string | undefined, password = "a wrong password") {
  return (await site.browser(address).post("/api/account/signin", { email, password })).status;
}

test("abuse 247: if the database goes away while a password is confirmed, only this request fails", async () => {
  const gone = new Error("the connection has ended");
  const openLimit: OpenAttemptLimit = () => ({
    refusal: () => null,
    peek: async () => allowed,
    take: async () => allowed,
    refund: () => Promise.reject(gone),
    reset: () => Promise.reject(gone),
  });
  const confirmBudget = makeConfirmBudget(openLimit, defaultLimits.accounts);
  const visitor = { address: "192.0.2.1", bucket: "192.0.2.1", trusted: false, userAgent: "" };
  const lost = new Error("the query failed");
  const hasher: Hasher = { hash: () => Promise.reject(lost), verify: () => Promise.reject(lost) };
  await using site = await startAccountApp();
  const deps = { db: site.db, hasher, confirmBudget } as AccountDependencies;
  const confirmed = confirmPassword(deps, 1, visitor, userPassword, "password");
  await expect(confirmed).rejects.toBe(lost);
  const booking = await confirmBudget.reserve(visitor, 1);
  await expect(booking.refund()).resolves.toBeUndefined();
});

describe("abuse 46: a flood of emails", () => {
  test("an address gets at most three emails an hour, whatever the client or reason; then 429", async () => {
    await using site = await startAccountApp();
    const asks = [
      ["signup", { email, password: userPassword }],
      ["resend", { email: "ADA@example.org" }],
      ["password/forgot", { email }],
      ["password/forgot", { email }],
      ["signup", { email: "ada+2@example.org", password: userPassword }],
      ["resend", { email: "a.da@example.org" }],
    ] as const;
    const statuses = [];
    for (const [i, [path, body]] of asks.entries()) {
      const browser = site.browser(`198.51.100.${i}`);
      const response = await browser.post(`/api/account/${path}`, body);
      statuses.push(response.status);
      if (response.status !== 429) continue;
      expect(response.error.code).toBe("throttled");
      expect(Number(response.headers["retry-after"])).toBe(3600);
      expect(response.headers["ratelimit-remaining"]).toBe("0");
    }
    expect(statuses).toEqual([202, 202, 202, 429, 429, 429]);
    await site.email.deliver();
    expect(site.email.emails()).toHaveLength(3);
    site.clock.advance(60 * minute);
    const later = await site
      .browser("198.51.100.9")
      .post("/api/account/password/forgot", { email });
    expect(later.status).toBe(202);
  });

  test("a client, or a whole /64, can cause five an hour; others are unaffected", async () => {
    await using site = await startAccountApp();
    const forgot = async (address: string, i: number) => {
      const reply = { email: `someone${i}@example.org` };
      return (await site.browser(address).post("/api/account/password/forgot", reply)).status;
    };
    const statuses = [];
    for (let i = 0; i < 7; i += 1) statuses.push(await forgot(`2001:db8:1:2::${i + 1}`, i));
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429]);
    expect(await forgot("2001:db8:1:3::1", 50)).toBe(202);
    // Requests that sent no email, such as those refused for invalid fields or a forged header,
    // aren't counted.
    const clumsy = site.browser("192.0.2.50");
    for (let i = 0; i < 9; i += 1) {
      const reply = { email: `e${i}@example.org`, password: "short" };
      expect((await clumsy.post("/api/account/signup", reply)).status).toBe(422);
    }
    expect(await forgot("192.0.2.50", 60)).toBe(202);
  });

  test("this machine itself is never throttled", async () => {
    await using site = await startAccountApp();
    const statuses = await Promise.all(
      times(12, async () => {
        return (await site.browser().post("/api/account/password/forgot", { email })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
  });
});

describe("guessing a password", () => {
  test("a client has ten failures per quarter of an hour, even at once", async () => {
    await using site = await startAccountApp();
    await site.join(email);
    const hashes = site.counts.hashes;
    const statuses = await Promise.all(times(60, () => guess(site, "192.0.2.1")));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    expect(site.counts.hashes - hashes).toBe(10);
    expect(await guess(site, "192.0.2.1", userPassword)).toBe(429);
    site.clock.advance(15 * minute);
    expect(await guess(site, "192.0.2.1", userPassword)).toBe(200);
  });

  test("signing in to one's own account doesn't reset a client's failures", async () => {
    await using site = await startAccountApp();
    await site.join(email);
    await site.join("mallory@example.org");
    const own = { email: "mallory@example.org", password: userPassword };
    const client = "198.51.100.202";
    const statuses = [];
    for (let i = 0; i < 12; i += 1) {
      statuses.push(await guess(site, client));
      await site.browser(client).post("/api/account/signin", own);
    }
    expect(statuses).toEqual([...times(10, () => 401), 429, 429]);
  });

  test("many clients share ten failures for one address and can't lock out its owner", async () => {
    await using site = await startAccountApp();
    await site.join(email);
    const home = "203.0.113.80";
    expect(await guess(site, home, userPassword)).toBe(200);
    const statuses = await Promise.all(times(30, (i) => guess(site, `198.51.100.${i + 1}`)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(await guess(site, "198.51.100.77", userPassword)).toBe(429);
    // Clients from which the owner has signed in before aren't locked out, even after a restart…
    expect(await guess(site, home, userPassword)).toBe(200);
    await using restarted = await startAccountApp({ db: site.db, clock: site.clock });
    await Promise.all(times(10, (i) => guess(restarted, `198.51.100.${i + 1}`)));
    expect(await guess(restarted, "198.51.100.77", userPassword)).toBe(429);
    expect(await guess(restarted, home, userPassword)).toBe(200);
    // …within their own limit, which nobody else can use up…
    expect(new Set(await Promise.all(times(10, () => guess(site, home))))).toEqual(new Set([401]));
    expect(await guess(site, home, userPassword)).toBe(429);
    // …and any client is accepted after the password was reset.
    await site.browser().post("/api/account/password/forgot", { email });
    const reply = { token: await site.token(email), password: "another fine password" };
    await site.browser().post("/api/account/password/reset", reply);
    expect(await guess(site, "198.51.100.78", reply.password)).toBe(200);
  });

  test("a stolen session can't be used to guess the password", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    user.headers["x-forwarded-for"] = "192.0.2.44";
    const change = async (current: string) => {
      const reply = { current, password: "another fine password" };
      return (await user.post("/api/account/password/change", reply)).status;
    };
    const remove = async (password: string) =>
      (await user.post("/api/account/delete", { password })).status;
    const statuses = [];
    for (let i = 0; i < 5; i += 1)
      statuses.push(await change(`guess ${i}`), await remove(`guess ${i}`));
    expect(statuses).toEqual(times(10, () => 401));
    expect([await change(userPassword), await remove(userPassword)]).toEqual([429, 429]);
    // Requests from this machine are never throttled here either.
    delete user.headers["x-forwarded-for"];
    expect([await change("guess"), await remove("guess")]).toEqual([401, 401]);
    expect(await guess(site, "192.0.2.3", userPassword)).toBe(200);
  });
});

test("200 concurrent sign-ins wait in a bounded queue while other requests are served", async () => {
  const { promise: pending, resolve: release } = Promise.withResolvers<void>();
  await using site = await startAccountApp({
    held: pending,
    queue: 20,
    register: (app) => app.get("/api/health", async () => ({})),
  });
  const statuses: number[] = [];
  const isFinished = Promise.all(
    times(200, async () => void statuses.push(await guess(site, undefined))),
  );
  expect((await site.browser().get("/api/health")).status).toBe(200);
  // One is being compared and twenty wait.
  await eventually(() => expect(statuses).toEqual(times(179, () => 503)));
  expect(site.counts.hashes).toBe(1);
  release();
  await isFinished;
  expect(statuses.slice(179)).toEqual(times(21, () => 401));
});
