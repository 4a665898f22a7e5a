import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type AdminApp,
  adminPassword,
  cookieOf,
  startAdminApp,
} from "../../../../../test/support/admin.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { setAdminPassword, setAdminToken } from "./admin-secrets.ts";
import { sessionCookie } from "../../platform/http/session-cookie.ts";
import { newSessionId } from "./credentials.ts";
import { absoluteLifetime, idleLifetime, isSessionAlive, makeSessions } from "./sessions.ts";

let admin: AdminApp;

beforeEach(async () => {
  admin = await startAdminApp();
});
afterEach(() => admin.cleanup());

const minute = 60_000;
const hour = 60 * minute;

async function check(cookie: string): Promise<number> {
  return (await admin.ask("/api/adminauth/check", { headers: { cookie } })).status;
}

function idHashOf(cookie: string): string {
  return sha256Hex(cookie.split("=")[1] ?? "");
}

function sessionRows() {
  return admin.db
    .withTables<{ admin_session: { id_hash: string; last_seen_at: string } }>()
    .selectFrom("admin_session")
    .select(["id_hash", "last_seen_at"])
    .execute();
}

test("the cookie is HttpOnly and Lax, and over https Secure with the __Host- prefix", async () => {
  const set = String((await admin.login()).headers["set-cookie"]);
  expect(set).toMatch(
    /^vitrine_admin=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const https = sessionCookie({
    baseUrl: "https://site.example",
    name: "vitrine_admin",
    lifetimeMs: 604_800_000,
  });
  expect(https.issue("x")).toBe(
    "__Host-vitrine_admin=x; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure",
  );
});

test("session routes take neither queries nor bodies; only a gateway passes its query on", async () => {
  const headers = { cookie: await admin.signIn() };
  for (const [path, body] of [
    ["/api/adminauth/logout", { everywhere: true }],
    ["/api/adminauth/logout?everywhere", {}],
    ["/api/adminauth/me?verbose=1", undefined],
  ] as const) {
    const response = await admin.ask(path, { headers, body });
    expect([path, response.status, response.json().error.code]).toEqual([
      path,
      422,
      "validation_failed",
    ]);
  }
  expect((await admin.ask("/api/adminauth/check?page=2", { headers })).status).toBe(204);
  expect((await admin.ask("/api/adminauth/me?verbose=1")).status).toBe(401);
  const visitor = await admin.ask("/api/adminauth/check?page=2");
  expect([visitor.status, visitor.text]).toEqual([401, ""]);
  expect((await admin.ask("/api/adminauth/logout", { headers, body: {} })).status).toBe(200);
});

test("the database holds a hash of the session's ID, not the ID", async () => {
  const cookie = await admin.signIn();
  const [row] = await sessionRows();
  expect(row?.id_hash).toBe(idHashOf(cookie));
  expect(JSON.stringify(row)).not.toContain(cookie.split("=")[1]);
});

test("abuse 9: a new password or link ends all older sessions", async () => {
  for (const change of [
    () => setAdminPassword({ db: admin.db, clock: admin.clock, password: adminPassword }),
    () => setAdminToken({ db: admin.db, clock: admin.clock, baseUrl: "http://localhost:3000" }),
  ]) {
    const cookie = await admin.signIn();
    expect(await check(cookie)).toBe(204);
    await change();
    expect(await check(cookie)).toBe(401);
    expect(await isSessionAlive(admin.db, admin.clock, idHashOf(cookie))).toBe(false);
  }
});

test("abuse 9: a sign-in checked against the previous password starts no session", async () => {
  const sessions = makeSessions({ db: admin.db, clock: admin.clock });
  const client = { method: "password", ip: "::1", userAgent: "" } as const;
  expect(await sessions.start({ ...client, accountVersion: 1 })).toBeNull();
  expect(await sessionRows()).toEqual([]);
});

test("abuse 10: a planted cookie is never adopted, and a live one is replaced", async () => {
  const planted = `vitrine_admin=${newSessionId()}`;
  const first = await admin.ask("/api/adminauth/login", {
    body: { password: adminPassword },
    headers: { cookie: planted },
  });
  expect(cookieOf(first)).not.toBe(planted);
  expect(await check(planted)).toBe(401);
  const second = await admin.ask(admin.link, { headers: { cookie: cookieOf(first) } });
  expect(await check(cookieOf(second))).toBe(204);
  expect(await check(cookieOf(first))).toBe(401);
  expect(await check(`${planted}; ${cookieOf(second)}`)).toBe(204);
});

test("abuse 11: after signing out, the cookie is invalid for the API and in the database", async () => {
  const cookie = await admin.signIn();
  const out = await admin.ask("/api/adminauth/logout", { method: "POST", headers: { cookie } });
  expect([out.status, out.json().data]).toEqual([200, { admin: false }]);
  expect(out.headers["set-cookie"]).toMatch(/^vitrine_admin=; Max-Age=0;/);
  expect(await check(cookie)).toBe(401);
  expect(await isSessionAlive(admin.db, admin.clock, idHashOf(cookie))).toBe(false);
  const again = await admin.ask("/api/adminauth/logout", { method: "POST", headers: { cookie } });
  expect(again.status).toBe(401);
});

test("abuse 12: a sign-out submitted by another site has no effect", async () => {
  const cookie = await admin.signIn();
  const headers = { cookie, "sec-fetch-site": "same-site", origin: "http://localhost:4000" };
  const out = await admin.ask("/api/adminauth/logout", { method: "POST", headers });
  expect(out.status).toBe(403);
  expect(await check(cookie)).toBe(204);
});

test("use extends a session to at most seven days; it ends after twelve idle hours", async () => {
  const idle = await admin.signIn();
  const used = await admin.signIn();
  admin.clock.advance(idleLifetime - minute);
  expect(await check(used)).toBe(204);
  admin.clock.advance(minute);
  expect(await check(idle)).toBe(401);
  expect(await check(used)).toBe(204);
  for (let at = idleLifetime; at < absoluteLifetime - 6 * hour; at += 6 * hour) {
    expect(await check(used)).toBe(204);
    admin.clock.advance(6 * hour);
  }
  admin.clock.advance(6 * hour);
  expect(await check(used)).toBe(401);
  expect(await sessionRows()).toEqual([]);
});

test("the time of last use is stored at most once a minute", async () => {
  const cookie = await admin.signIn();
  const seen = async () => (await sessionRows())[0]?.last_seen_at;
  const atStart = await seen();
  admin.clock.advance(minute - 1);
  await check(cookie);
  expect(await seen()).toBe(atStart);
  admin.clock.advance(1);
  await check(cookie);
  expect(await seen()).toBe("2026-01-15T12:01:00.000Z");
});

test("abuse 16: expired sessions stay expired when the clock is set back", async () => {
  const cookie = await admin.signIn();
  const start = admin.clock.now();
  admin.clock.advance(idleLifetime);
  admin.clock.setWall(start + hour);
  expect(await check(cookie)).toBe(401);
});

test("abuse 16: also in a process that starts afterwards", async () => {
  const idle = await admin.signIn();
  const start = admin.clock.now();
  admin.clock.advance(idleLifetime - hour);
  const other = await admin.signIn();
  admin.clock.advance(2 * hour);
  expect(await check(other)).toBe(204);
  const later = fakeClock(start + hour);
  expect(await isSessionAlive(admin.db, later, idHashOf(idle))).toBe(false);
  expect(await isSessionAlive(admin.db, later, idHashOf(other))).toBe(true);
});

test("abuse 16: after a clock that ran ahead is corrected, the admin can sign in again", async () => {
  const start = admin.clock.now();
  admin.clock.setWall(start + 365 * 24 * hour);
  const ahead = await admin.signIn();
  admin.clock.setWall(start);
  expect(await check(ahead)).toBe(204);
  const after = await admin.signIn();
  expect(await check(after)).toBe(204);
  admin.clock.advance(idleLifetime);
  expect(await check(after)).toBe(401);
});

test("abuse 245: after a clock that ran ahead is corrected, the admin can sign in to a new process", async () => {
  const start = admin.clock.now();
  admin.clock.setWall(start + 24 * hour);
  await admin.signIn();
  await using next = await startAdminApp({ db: admin.db, clock: fakeClock(start) });
  const after = await next.signIn();
  const see = (app: AdminApp, cookie: string) =>
    app.ask("/api/adminauth/check", { headers: { cookie } });
  expect((await see(next, after)).status).toBe(204);
  next.clock.advance(11 * hour);
  expect((await see(next, after)).status).toBe(204);
  next.clock.advance(idleLifetime);
  expect((await see(next, after)).status).toBe(401);
});

test("abuse 245: also if only the guard's clock ran ahead, here or on another node", async () => {
  const cookie = await admin.signIn();
  const start = admin.clock.now();
  admin.clock.setWall(start + 24 * hour);
  expect(await check(cookie)).toBe(401);
  admin.clock.setWall(start);
  expect(await check(await admin.signIn())).toBe(204);

  // As after a new password, the database doesn't have the time that this process has seen.
  await admin.db.withTables<{ admin_session: object }>().deleteFrom("admin_session").execute();
  await using other = await startAdminApp({ db: admin.db, clock: fakeClock(start) });
  // The first session tells the other node the time; it stays expired.
  const first = await other.signIn();
  expect(await check(first)).toBe(401);
  expect((await other.ask("/api/adminauth/check", { headers: { cookie: first } })).status).toBe(
    401,
  );
  expect(await check(await other.signIn())).toBe(204);
});
