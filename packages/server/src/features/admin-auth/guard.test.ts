import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { createApiToken, listApiTokens, revokeApiToken } from "./api-tokens.ts";
import { newApiToken } from "./credentials.ts";

let admin: AdminApp;

beforeEach(async () => {
  admin = await startAdminApp({
    register(app, { guard }) {
      const response = async (request: { admin?: unknown }) => ({ admin: request.admin });
      app.get("/api/things/list", { onRequest: guard.requireAdmin("read") }, response);
      app.post("/api/things/save", { onRequest: guard.requireAdmin("write") }, response);
      for (const method of ["POST", "PUT", "DELETE"]) {
        const routes = { named: guard.requireAdmin("read"), any: guard.requireToken() };
        for (const [name, onRequest] of Object.entries(routes)) {
          app.route({ method, url: `/api/things/${name}`, onRequest, handler: response });
        }
      }
      app.post("/api/things/late", { preHandler: guard.requireSession() }, response);
    },
  });
});
afterEach(() => admin.cleanup());

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function make(name: string, scopes: string[], expires?: string) {
  return createApiToken({ db: admin.db, clock: admin.clock, name, scopes, expires });
}

test("a session or a token with the scope opens an admin route; others get a challenge", async () => {
  const cookie = await admin.signIn();
  const { token } = await make("deploy", ["read", "write"]);
  const save = (headers: Record<string, string>) =>
    admin.ask("/api/things/save", { method: "POST", headers });
  expect(JSON.parse((await save({ cookie })).text)).toMatchObject({ admin: { kind: "session" } });
  expect(JSON.parse((await save(bearer(token))).text)).toEqual({
    admin: { kind: "token", name: "deploy", scopes: ["read", "write"] },
  });
  expect((await save({})).status).toBe(401);
  const foreign = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await save(foreign)).status).toBe(403);
});

test("a token without the scope gets 403, which names the missing scope", async () => {
  const { token } = await make("reader", ["read"]);
  expect((await admin.ask("/api/things/list", { headers: bearer(token) })).status).toBe(200);
  const response = await admin.ask("/api/things/save", { method: "POST", headers: bearer(token) });
  expect([response.status, response.json().error.code]).toEqual([403, "forbidden"]);
  expect(response.headers["www-authenticate"]).toContain(
    'error="insufficient_scope", scope="write"',
  );
});

test.each(["POST", "PUT", "DELETE"] as const)(
  "abuse 156: %s needs write, whatever scope the route names",
  async (method) => {
    const reader = await make("reader", ["read"]);
    const writer = await make("writer", ["write"]);
    for (const path of ["/api/things/named", "/api/things/any"]) {
      const ask = ({ token }: { token: string }) =>
        admin.ask(path, { method, headers: bearer(token) });
      const refused = await ask(reader);
      expect([refused.status, refused.json().error.code]).toEqual([403, "forbidden"]);
      expect(refused.headers["www-authenticate"]).toContain('scope="write"');
      expect((await ask(writer)).status).toBe(200);
    }
  },
);

test("the ping tells a token its owner", async () => {
  const { token } = await make("monitor", ["read"]);
  const response = await admin.ask("/api/admin/ping", { headers: bearer(token) });
  expect(response.json().data).toEqual({ pong: true, token: "monitor", scopes: ["read"] });
  const cookie = await admin.signIn();
  const refused = await admin.ask("/api/admin/ping", { headers: { cookie } });
  expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
    401,
    'Bearer realm="vitrine"',
  ]);
});

test.each([
  "",
  "Bearer",
  "Bearer vit_short",
  `Bearer ${newApiToken()}`,
  "Basic YTpi",
  "bearer  a b",
])("an Authorization of %j is 401, even with a valid cookie", async (authorization) => {
  const cookie = await admin.signIn();
  for (const path of ["/api/admin/ping", "/api/things/list"]) {
    const response = await admin.ask(path, { headers: { authorization, cookie } });
    expect(response.status).toBe(401);
    expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
  }
});

test("a revoked or expired token is 401, and its name is free again", async () => {
  const first = await make("ci", ["read"]);
  await expect(make("ci", ["read"])).rejects.toMatchObject({ code: "already_exists" });
  const ping = async (token: string) =>
    (await admin.ask("/api/admin/ping", { headers: bearer(token) })).status;
  expect(await ping(first.token)).toBe(200);
  await revokeApiToken({ db: admin.db, clock: admin.clock, name: "ci" });
  expect(await ping(first.token)).toBe(401);
  await expect(
    revokeApiToken({ db: admin.db, clock: admin.clock, name: "ci" }),
  ).rejects.toMatchObject({ code: "not_found" });

  const second = await make("ci", ["read"], "2026-01-16");
  expect(await ping(second.token)).toBe(200);
  const before = admin.clock.now();
  admin.clock.advance(12 * 3_600_000);
  expect(await ping(second.token)).toBe(401);
  admin.clock.setWall(before);
  expect(await ping(second.token)).toBe(401);
});

test("abuse 42: the database holds a token's hash, and its list never shows it", async () => {
  const { token } = await make("ci", ["write"]);
  await admin.ask("/api/things/list", { headers: bearer(token) });
  const rows = await admin.db
    .withTables<{ api_token: { token_hash: string } }>()
    .selectFrom("api_token")
    .selectAll()
    .execute();
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(JSON.stringify(await listApiTokens(admin.db))).not.toContain("hash");
});

test.each([
  [{ name: "", scopes: ["read"] }, "name"],
  [{ name: "x".repeat(81), scopes: ["read"] }, "name"],
  [{ name: "a", scopes: [] }, "scopes"],
  [{ name: "a", scopes: ["read", "admin"] }, "scopes"],
  [{ name: "a", scopes: ["read"], expires: "soon" }, "expires"],
  [{ name: "a", scopes: ["read"], expires: "2020-01-01" }, "expires"],
])("a token of %j is refused", async (given, field) => {
  await expect(
    make(given.name, given.scopes, "expires" in given ? given.expires : undefined),
  ).rejects.toMatchObject({
    code: "validation_failed",
    fields: { [field]: expect.any(String) as string },
  });
});

test("abuse 15: a user's cookie doesn't open admin routes", async () => {
  const headers = { cookie: `vitrine_user=${"a".repeat(43)}; vitrine_session=${"b".repeat(43)}` };
  for (const path of [
    "/api/things/list",
    "/api/adminauth/me",
    "/api/adminauth/check",
    "/api/admin/ping",
  ]) {
    const response = await admin.ask(path, { headers });
    expect([path, response.status]).toEqual([path, 401]);
  }
});

test("a guarded route doesn't reveal its schema without authentication", async () => {
  const headers = { "content-type": "text/plain" };
  const response = await admin.ask("/api/things/save", { body: "{", headers });
  expect(response.status).toBe(401);
});

test("the guard also works as a preHandler", async () => {
  const cookie = await admin.signIn();
  expect((await admin.ask("/api/things/late", { method: "POST" })).status).toBe(401);
  expect(
    (await admin.ask("/api/things/late", { method: "POST", headers: { cookie } })).status,
  ).toBe(200);
});

test("abuse 111: every response of the sign-in has the security headers", async () => {
  for (const path of [
    "/api/adminauth/check",
    "/api/adminauth/me",
    "/admin/nonsense",
    "/api/admin/ping",
  ]) {
    expect((await admin.ask(path)).headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'") as string,
      "referrer-policy": expect.any(String) as string,
    });
  }
});
