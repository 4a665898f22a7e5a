import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type AdminApp,
  adminPassword,
  cookieOf,
  from,
  startAdminApp,
} from "../../../../../../test/support/admin.ts";
import { createApiToken } from "../api-tokens.ts";
import { setAdminPassword } from "../admin-secrets.ts";

const address = "/api/adminauth/password";
const chosen = "correct horse battery staple";

let admin: AdminApp;

beforeEach(async () => {
  admin = await startAdminApp();
});
afterEach(() => admin.cleanup());

/** The state after installation: a link but no password. */
async function forgetPassword(): Promise<void> {
  await admin.db
    .withTables<{
      admin_account: { password_hash: string | null; password_set_at: string | null };
    }>()
    .updateTable("admin_account")
    .set({ password_hash: null, password_set_at: null })
    .execute();
}

async function signInByLink(): Promise<{ cookie: string; location: string }> {
  const response = await admin.ask(admin.link);
  return { cookie: cookieOf(response), location: String(response.headers["location"]) };
}

function choose(cookie: string, body: object, headers: Record<string, string> = {}) {
  return admin.ask(address, { headers: { cookie, ...headers }, body });
}

async function isSignedIn(cookie: string): Promise<boolean> {
  return (await admin.ask("/api/adminauth/check", { headers: { cookie } })).status === 204;
}

test("after signing in with the first link, the owner sets a password without an old one and signs in with it", async () => {
  await forgetPassword();
  const { cookie, location } = await signInByLink();
  // As in the specification: the overview then asks for a password.
  expect(location).toBe("/admin");
  expect((await admin.ask("/api/adminauth/methods")).json().data).toEqual({ password: false });
  const before = await admin.ask(address, { headers: { cookie } });
  expect(before.json().data).toEqual({ isSet: false, setAt: null });
  const response = await choose(cookie, { password: chosen });
  expect([response.status, response.headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(response.json().data).toEqual({ isSet: true, setAt: "2026-01-15T12:00:00.000Z" });
  expect(await isSignedIn(cookie)).toBe(true);
  expect((await admin.ask("/api/adminauth/methods")).json().data).toEqual({ password: true });
  expect((await admin.login(chosen)).status).toBe(200);
});

test("if there is a password, a sign-in link leads to the overview", async () => {
  expect((await signInByLink()).location).toBe("/admin");
});

test("sign-in says that there is no password instead of calling it wrong", async () => {
  await forgetPassword();
  const { text } = await admin.login("anything at all");
  expect(text).toContain("no admin password yet");
  expect(text).toContain("vitrine set-admin-token");
});

test("changing the password needs the current one and ends all other sessions", async () => {
  const [own, other] = [await admin.signIn(), await admin.signIn()];
  for (const [body, field] of [
    [{ password: chosen }, "current"],
    [{ password: chosen, current: "" }, "current"],
    [{ password: chosen, current: "not the password" }, "current"],
    [{ password: "short", current: adminPassword }, "password"],
    [{ password: "ä".repeat(37), current: adminPassword }, "password"],
  ] as const) {
    const refused = await choose(own, body);
    const { error } = JSON.parse(refused.text);
    expect([refused.status, error.code, Object.keys(error.fields)]).toEqual([
      422,
      "validation_failed",
      [field],
    ]);
  }
  expect(await isSignedIn(other)).toBe(true);
  expect((await choose(own, { password: chosen, current: adminPassword })).status).toBe(200);
  expect([await isSignedIn(own), await isSignedIn(other)]).toEqual([true, false]);
  expect((await admin.login()).status).toBe(401);
  expect((await admin.login(chosen)).status).toBe(200);
});

test("wrong current passwords count as failed sign-ins", async () => {
  const cookie = await admin.signIn();
  const guess = () => choose(cookie, { password: chosen, current: "a guess" }, from("203.0.113.9"));
  const statuses = [];
  for (let n = 0; n < 6; n += 1) statuses.push((await guess()).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  expect((await admin.login(adminPassword, from("203.0.113.9"))).status).toBe(429);
  const right = await choose(
    cookie,
    { password: chosen, current: adminPassword },
    from("203.0.113.9"),
  );
  expect(right.status).toBe(429);
});

test("if two first passwords are set at once, one wins", async () => {
  await forgetPassword();
  const [one, two] = [(await signInByLink()).cookie, (await signInByLink()).cookie];
  const answers = await Promise.all([
    choose(one, { password: chosen }),
    choose(two, { password: `${chosen} too` }),
  ]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const refused = answers.find(({ status }) => status !== 200);
  // It arrives too late, or its session has ended because of the other change.
  expect([401, 409, 422]).toContain(refused?.status);
});

test("it can't be set without a session, with a token, or by another site", async () => {
  await forgetPassword();
  const { cookie } = await signInByLink();
  const { token } = await createApiToken({
    db: admin.db,
    clock: admin.clock,
    name: "a program",
    scopes: ["read", "write"],
  });
  const refused = await Promise.all([
    admin.ask(address, { body: { password: chosen } }),
    admin.ask(address, {
      body: { password: chosen },
      headers: { authorization: `Bearer ${token}` },
    }),
    choose(cookie, { password: chosen }, { origin: "https://evil.example" }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 403]);
  expect((await admin.ask("/api/adminauth/methods")).json().data).toEqual({ password: false });
});

test("the command line sets it as before and ends all sessions", async () => {
  const cookie = await admin.signIn();
  await setAdminPassword({ db: admin.db, clock: admin.clock, password: chosen });
  expect(await isSignedIn(cookie)).toBe(false);
});
