import { describe, expect, test } from "vitest";
import { adminCookie } from "../../../../../test/support/admin-session.ts";
import { startAccountApp, userPassword } from "../../../../../test/support/account-app.ts";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { randomToken } from "../../kit/hash.ts";
import { ok } from "../../kit/envelope.ts";
import { makeAdminGuard } from "../admin-auth/guard.ts";
import { maxSessionsPerUser } from "./sessions.ts";

const email = "ada@example.org";
const credentials = { email, password: userPassword };
const hour = 60 * 60_000;
const day = 24 * hour;

interface Listed {
  items: { id: string; current: boolean; ip: string; userAgent: string; lastSeenAt: string }[];
}

describe("a user's session", () => {
  test("abuse 10: signing in creates a new ID and ends the session that the browser sent", async () => {
    await using site = await startAccountApp();
    const planted = (await site.join("mallory@example.org")).cookie;
    await site.join(email);
    const victim = site.browser();
    victim.cookie = planted;
    expect((await victim.post("/api/account/signin", credentials)).status).toBe(200);
    expect(victim.cookie).not.toBe(planted);
    expect(await victim.get("/api/account/me")).toMatchObject({ data: { user: { email } } });
    const attacker = site.browser();
    attacker.cookie = planted;
    expect((await attacker.get("/api/account/me")).status).toBe(401);
    const made = site.browser();
    made.cookie = `vitrine_account=${randomToken()}`;
    const before = made.cookie;
    await made.post("/api/account/signin", credentials);
    expect(made.cookie).not.toBe(before);
  });

  test("abuse 11: after signing out, the cookie is invalid", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    const { cookie } = user;
    expect((await user.post("/api/account/signout")).status).toBe(200);
    const later = site.browser();
    later.cookie = cookie;
    for (const path of ["me", "sessions", "export"]) {
      expect((await later.get(`/api/account/${path}`)).status).toBe(401);
    }
    expect((await later.post("/api/account/signout")).status).toBe(401);
  });

  test("abuse 12: a change caused by another site is refused and has no effect", async () => {
    await using site = await startAccountApp({ baseUrl: "https://me.example" });
    const user = await site.join(email);
    const { cookie } = user;
    const bodies = {
      signup: { ...credentials, email: "new@example.org" },
      verify: { token: "x" },
      accept: { token: "x", password: userPassword },
      resend: { email },
      signin: credentials,
      signout: {},
      "password/forgot": { email },
      "password/reset": { token: "x", password: userPassword },
      "password/change": { current: userPassword, password: "another fine password" },
      "sessions/revoke": { others: true },
      delete: { password: userPassword },
    };
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "https://evil.me.example", "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
    ];
    const emails = site.email.emails().length;
    for (const [path, body] of Object.entries(bodies)) {
      for (const headers of foreign) {
        const { status, error } = await user.post(`/api/account/${path}`, body, headers);
        expect([path, status, error?.code]).toEqual([path, 403, "bad_origin"]);
      }
    }
    for (const headers of foreign) {
      expect((await user.get("/api/account/export", headers)).status).toBe(403);
    }
    await site.email.deliver();
    expect(site.email.emails()).toHaveLength(emails);
    expect(user.cookie).toBe(cookie);
    expect(await user.get("/api/account/me")).toMatchObject({ data: { user: { email } } });
    expect(
      (await user.post("/api/account/signout", {}, { origin: "https://me.example" })).status,
    ).toBe(200);
  });

  test("abuse 15: it doesn't open admin pages under any name, and an admin session doesn't open accounts", async () => {
    await using site = await startAccountApp({
      register(app, { db, clock, baseUrl }) {
        const guard = makeAdminGuard({ db, clock, config: { baseUrl } });
        app.get("/api/admin-only", { onRequest: guard.requireAdmin("read") }, async () => ok({}));
        app.post("/api/admin-only", { onRequest: guard.requireAdmin("write") }, async () => ok({}));
      },
    });
    const user = await site.join(email);
    const id = user.cookie.split("=")[1] ?? "";
    for (const cookie of [
      `vitrine_account=${id}`,
      `vitrine_admin=${id}`,
      `__Host-vitrine_admin=${id}`,
    ]) {
      user.cookie = cookie;
      expect((await user.get("/api/admin-only")).status).toBe(401);
      expect((await user.post("/api/admin-only")).status).toBe(401);
    }
    user.cookie = "";
    const bearer = { authorization: `Bearer ${id}` };
    expect((await user.get("/api/admin-only", bearer)).status).toBe(401);
    const admin = await adminCookie(site.db, site.clock, "vitrine_account");
    user.cookie = admin;
    expect((await user.get("/api/account/me")).status).toBe(401);
  });

  test("abuse 16: expired sessions stay expired when the clock is set back", async () => {
    await using site = await startAccountApp();
    const sleeper = await site.join(email);
    const start = site.clock.now();
    site.clock.advance(30 * day);
    expect((await sleeper.get("/api/account/me")).status).toBe(401);
    site.clock.setWall(start);
    expect((await sleeper.get("/api/account/me")).status).toBe(401);
    // Also in a process started after the clock was set back, because of the times in the database.
    const first = await site.join("bob@example.org");
    site.clock.setWall(start + 60 * day);
    await site.join("carol@example.org");
    site.clock.setWall(start);
    await using next = await startAccountApp({ db: site.db, clock: site.clock });
    const returned = next.browser();
    returned.cookie = first.cookie;
    expect((await returned.get("/api/account/me")).status).toBe(401);
  });

  test("abuse 245: after a clock that ran ahead is corrected, users can sign in to a new process", async () => {
    await using site = await startAccountApp();
    const start = site.clock.now();
    await site.join(email);
    site.clock.setWall(start + 60 * day);
    await site.join("bob@example.org");
    await using next = await startAccountApp({ db: site.db, clock: fakeClock(start) });
    const user = next.browser();
    expect((await user.post("/api/account/signin", credentials)).status).toBe(200);
    expect((await user.get("/api/account/me")).status).toBe(200);
    // Links aren't judged by the time of sessions.
    await user.post("/api/account/password/forgot", { email });
    const token = await next.token(email);
    const password = "another fine password";
    const reset = await user.post("/api/account/password/reset", { token, password });
    expect(reset.status).toBe(200);
  });

  test("abuse 245: also if only the guard's clock ran ahead", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    const start = site.clock.now();
    site.clock.setWall(start + 60 * day);
    expect((await user.get("/api/account/me")).status).toBe(401);
    site.clock.setWall(start);
    await user.post("/api/account/signin", credentials);
    expect((await user.get("/api/account/me")).status).toBe(200);
  });

  test("lasts 30 days without use, at most 180, and stores when it was seen once a minute", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    const seen = async () =>
      (await user.get<Listed>("/api/account/sessions")).data.items[0]?.lastSeenAt;
    const first = await seen();
    site.clock.advance(59_999);
    expect(await seen()).toBe(first);
    site.clock.advance(1);
    expect(await seen()).not.toBe(first);
    for (let days = 0; days < 174; days += 29) {
      site.clock.advance(29 * day);
      expect((await user.get("/api/account/me")).status).toBe(200);
    }
    site.clock.advance(6 * day - 60_000);
    expect((await user.get("/api/account/me")).status).toBe(401);
  });

  test("has a cookie that can't be planted over plain http or from a subdomain", async () => {
    await using site = await startAccountApp({ baseUrl: "https://me.example" });
    const user = await site.join(email);
    const response = await user.post("/api/account/signin", credentials);
    expect(String(response.headers["set-cookie"])).toMatch(
      /^__Host-vitrine_account=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(response.headers["cache-control"]).toBe("no-store");
    const out = await user.post("/api/account/signout");
    expect(String(out.headers["set-cookie"])).toMatch(/^__Host-vitrine_account=; Max-Age=0; /);
    user.cookie = `vitrine_account=${randomToken()}`;
    expect((await user.get("/api/account/me")).status).toBe(401);
  });
});

describe("the list of a user's sessions", () => {
  test("names each browser and ends one or all others, but only the user's own", async () => {
    await using site = await startAccountApp();
    const here = await site.join(email);
    const there = site.browser("198.51.100.20");
    there.headers["user-agent"] = `Phone\u0009${"x".repeat(400)}`;
    await there.post("/api/account/signin", credentials);
    const visitor = await site.join("eve@example.org");
    const list = async () => (await here.get<Listed>("/api/account/sessions")).data.items;
    const [first, second] = (await list()).toSorted(
      (a, b) => Number(b.current) - Number(a.current),
    );
    const page = await here.get("/api/account/sessions?perPage=1&page=2");
    expect(page.data).toMatchObject({ items: [{}], total: 2, page: 2, perPage: 1 });
    expect(first).toMatchObject({ current: true });
    expect(second).toMatchObject({ current: false, ip: "198.51.100.20" });
    expect(second?.userAgent).toMatch(/^Phone x{294}$/);
    expect(here.cookie).not.toContain(first?.id);
    const revoke = (who: typeof here, body: object) =>
      who.post("/api/account/sessions/revoke", body);
    expect((await revoke(visitor, { id: second?.id })).status).toBe(404);
    expect((await there.get("/api/account/me")).status).toBe(200);
    expect((await revoke(here, { id: second?.id })).status).toBe(200);
    expect((await there.get("/api/account/me")).status).toBe(401);
    expect((await revoke(here, { id: second?.id })).status).toBe(404);
    await there.post("/api/account/signin", credentials);
    expect((await revoke(here, { others: true })).status).toBe(200);
    expect((await there.get("/api/account/me")).status).toBe(401);
    expect(await list()).toHaveLength(1);
    expect((await visitor.get("/api/account/me")).status).toBe(200);
    expect((await revoke(here, { others: false })).status).toBe(422);
  });

  test(`has at most ${maxSessionsPerUser} browsers; those beyond end, the oldest first`, async () => {
    await using site = await startAccountApp();
    const oldest = await site.join(email);
    const browsers = [];
    for (let i = 0; i < maxSessionsPerUser; i += 1) {
      site.clock.advance(1000);
      const browser = site.browser();
      await browser.post("/api/account/signin", credentials);
      browsers.push(browser);
    }
    expect((await oldest.get("/api/account/me")).status).toBe(401);
    for (const browser of browsers) expect((await browser.get("/api/account/me")).status).toBe(200);
  });
});
