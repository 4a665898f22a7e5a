import { describe, expect, test } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import { isoTime } from "../../kit/time.ts";
import { makeHasher } from "./hasher.ts";
import { findUserByEmail, findUserRow, insertUser, setPasswordHash } from "./store.ts";

const email = "ada@example.org";
const newPassword = "another fine password";

async function canSignIn(site: AccountApp, password: string): Promise<boolean> {
  return (await site.browser().post("/api/account/signin", { email, password })).status === 200;
}

/** A signed-in user who joined with a provider. */
async function joinWithoutPassword(site: AccountApp) {
  const { db, sessions } = site;
  const now = isoTime(site.clock.now());
  const id = await insertUser(db, { email, name: "", passwordHash: null, verifiedAt: now, now });
  const visitor = { address: "192.0.2.4", userAgent: "" };
  const { cookieValue } = await sessions.start(db, id ?? 0, { method: "google", visitor });
  const user = site.browser();
  user.cookie = `${site.guard.cookie.name}=${cookieValue}`;
  return user;
}

describe("a password", () => {
  test("is reset by email: all sessions end, and the address counts as confirmed", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    await site.browser().post("/api/account/password/forgot", { email });
    const token = await site.token(email);
    const reset = (password: string) =>
      site.browser().post("/api/account/password/reset", { token, password });
    expect(await reset("Ada123456789")).toMatchObject({
      status: 422,
      error: { fields: { password: expect.stringContaining("your address") } },
    });
    expect((await user.get("/api/account/me")).status).toBe(200);
    expect((await reset(newPassword)).status).toBe(200);
    expect((await user.get("/api/account/me")).status).toBe(401);
    expect([await canSignIn(site, userPassword), await canSignIn(site, newPassword)]).toEqual([
      false,
      true,
    ]);
    await site.email.deliver();
    expect(site.email.last(email)?.subject).toBe("Your password for A Portfolio was changed");
  });

  test("of an unconfirmed account is reset by email too, which confirms it", async () => {
    await using site = await startAccountApp();
    await site.browser().post("/api/account/signup", { email, password: userPassword });
    const confirming = await site.token(email);
    await site.browser().post("/api/account/password/forgot", { email });
    const token = await site.token(email);
    await site.browser().post("/api/account/password/reset", { token, password: newPassword });
    expect([await canSignIn(site, userPassword), await canSignIn(site, newPassword)]).toEqual([
      false,
      true,
    ]);
    expect((await site.browser().post("/api/account/verify", { token: confirming })).status).toBe(
      400,
    );
  });

  test("is changed with the current one: other sessions end, reset links become invalid, a notice is sent", async () => {
    await using site = await startAccountApp();
    const here = await site.join(email);
    const there = site.browser();
    await there.post("/api/account/signin", { email, password: userPassword });
    await site.browser().post("/api/account/password/forgot", { email });
    const token = await site.token(email);
    const change = (current: string, password: string) =>
      here.post("/api/account/password/change", { current, password });
    expect(await change("not the password", newPassword)).toMatchObject({
      status: 401,
      error: { code: "invalid_credentials", fields: { current: "isn't your password" } },
    });
    expect((await change(userPassword, "password123")).error.fields).toEqual({
      password: "is one of the most common passwords",
    });
    expect((await change(userPassword, userPassword)).status).toBe(422);
    expect((await there.get("/api/account/me")).status).toBe(200);
    expect((await change(userPassword, newPassword)).status).toBe(200);
    expect((await here.get("/api/account/me")).status).toBe(200);
    expect((await there.get("/api/account/me")).status).toBe(401);
    expect([await canSignIn(site, userPassword), await canSignIn(site, newPassword)]).toEqual([
      false,
      true,
    ]);
    await site.email.deliver();
    expect(site.email.last(email)?.subject).toBe("Your password for A Portfolio was changed");
    expect(await site.accounts.canReset(token)).toBe(false);
  });

  test("is rehashed at sign-in when the cost has changed", async () => {
    await using site = await startAccountApp();
    await site.join(email);
    const old = makeHasher({ cost: { memoryKiB: 16, passes: 1, lanes: 1 } });
    const id = (await findUserByEmail(site.db, email))?.id ?? 0;
    const now = isoTime(site.clock.now());
    await setPasswordHash(site.db, id, await old.hash(userPassword), now);
    const stored = async () => (await findUserRow(site.db, email))?.password_hash;
    expect(await canSignIn(site, "not the password")).toBe(false);
    expect(await stored()).toContain("m=16,");
    expect(await canSignIn(site, userPassword)).toBe(true);
    expect(await stored()).toContain("m=8,");
    expect(await canSignIn(site, userPassword)).toBe(true);
  });

  test("can be set by email by a user who joined with a provider", async () => {
    await using site = await startAccountApp();
    const user = await joinWithoutPassword(site);
    expect(await user.get("/api/account/me")).toMatchObject({
      data: { user: { hasPassword: false } },
    });
    const change = { current: "", password: newPassword };
    expect((await user.post("/api/account/password/change", change)).status).toBe(401);
    expect(await canSignIn(site, "")).toBe(false);
    await site.browser().post("/api/account/password/forgot", { email });
    const reply = { token: await site.token(email), password: newPassword };
    expect((await site.browser().post("/api/account/password/reset", reply)).status).toBe(200);
    expect(await canSignIn(site, newPassword)).toBe(true);
  });
});

describe("leaving", () => {
  test("all data about the user is downloaded as a file without secrets", async () => {
    await using site = await startAccountApp({
      extraPersonalData: async (user) => ({ visits: [{ project: "x", by: user.email }] }),
    });
    const user = await site.join(email);
    const response = await user.get("/api/account/export");
    expect(response.headers["content-disposition"]).toBe('attachment; filename="account.json"');
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.data).toEqual({
      account: {
        email,
        name: "",
        createdAt: isoTime(site.clock.now()),
        verifiedAt: isoTime(site.clock.now()),
        passwordSetAt: isoTime(site.clock.now()),
      },
      sessions: [expect.objectContaining({ current: true, method: "password" })],
      linkedAccounts: [],
      visits: [{ project: "x", by: email }],
    });
    expect(response.text).not.toMatch(/argon2|hash"/);
  });

  test("needs the password, notifies other features, and sends a notice", async () => {
    const removed: string[] = [];
    await using site = await startAccountApp({
      async onDeleted(trx, user) {
        const still = await findUserByEmail(trx, user.email);
        removed.push(`${user.email} ${still !== null}`);
      },
    });
    const user = await site.join(email);
    const refusal = await user.post("/api/account/delete", { password: "not the password" });
    expect(refusal).toMatchObject({ status: 401, error: { code: "invalid_credentials" } });
    expect(removed).toEqual([]);
    const response = await user.post("/api/account/delete", { password: userPassword });
    expect([response.status, user.cookie]).toEqual([200, ""]);
    expect(removed).toEqual([`${email} true`]);
    expect(await canSignIn(site, userPassword)).toBe(false);
    await site.email.deliver();
    expect(site.email.last(email)?.subject).toBe("Your account at A Portfolio was deleted");
    // The address is free again for a new, separate account.
    expect((await site.join(email)).cookie).not.toBe("");
  });

  test("changes nothing if another feature can't delete its data", async () => {
    await using site = await startAccountApp({
      onDeleted: () => Promise.reject(new Error("the disk is full")),
    });
    const user = await site.join(email);
    expect((await user.post("/api/account/delete", { password: userPassword })).status).toBe(500);
    expect((await user.get("/api/account/me")).status).toBe(200);
    const emails = site.email.emails().length;
    await site.email.deliver();
    expect(site.email.emails()).toHaveLength(emails);
  });

  test("without a password needs a sign-in within the last ten minutes", async () => {
    await using site = await startAccountApp();
    const user = await joinWithoutPassword(site);
    site.clock.advance(10 * 60_000 + 1);
    const refusal = await user.post("/api/account/delete", {});
    expect(refusal).toMatchObject({ status: 403, error: { code: "forbidden" } });
    const id = (await findUserByEmail(site.db, email))?.id ?? 0;
    const visitor = { address: "192.0.2.4", userAgent: "" };
    const fresh = await site.sessions.start(site.db, id, { method: "google", visitor });
    user.cookie = `${site.guard.cookie.name}=${fresh.cookieValue}`;
    expect((await user.post("/api/account/delete", {})).status).toBe(200);
    expect(await findUserByEmail(site.db, email)).toBeNull();
  });
});
