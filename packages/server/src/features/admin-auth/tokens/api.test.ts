import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../../test/support/admin.ts";
import { createApiToken, findApiTokenOwner } from "../api-tokens.ts";
import { registerApiTokens } from "./api.ts";
import type { CreatedToken, TokenList } from "./schema.ts";

let app: AdminApp;
let cookie: string;

beforeEach(async () => {
  app = await startAdminApp({ register: registerApiTokens });
  cookie = await app.signIn();
});
afterEach(() => app.cleanup());

const own = () => ({ cookie, origin: "http://localhost:3000" });

async function ask<T>(path: string, body?: unknown, headers: Record<string, string> = own()) {
  const response = await app.ask(`/api/admintokens/${path}`, {
    headers,
    ...(body !== undefined && { body }),
  });
  const { data, error } = response.json();
  return {
    status: response.status,
    text: response.text,
    data: data as unknown as T,
    error: error as { code: string; fields?: Record<string, string> } | null,
  };
}

test("a token is created, shown once, listed without its secret, and revoked", async () => {
  const reply = { name: "ci", scopes: ["read"], expires: "2999-01-31" };
  const made = await ask<CreatedToken>("create", reply);
  expect(made.data).toMatchObject({ name: "ci", expiresAt: "2999-01-31T00:00:00.000Z" });
  const { token } = made.data;
  expect((await ask<TokenList>("list")).data.items[0]?.lastUsedAt).toBeNull();
  expect(await findApiTokenOwner(app.db, app.clock.now(), token)).toMatchObject({ name: "ci" });
  const listed = await ask<TokenList>("list");
  expect(listed.data.items).toMatchObject([
    { name: "ci", scopes: ["read"], lastUsedAt: expect.any(String), revokedAt: null },
  ]);
  expect(listed.text).not.toContain(token);
  expect((await ask("create", reply)).error?.code).toBe("already_exists");
  expect((await ask("revoke", { name: "ci" })).status).toBe(200);
  expect((await ask("revoke", { name: "ci" })).status).toBe(404);
  expect(await findApiTokenOwner(app.db, app.clock.now(), token)).toBeNull();
  expect(app.logged()).not.toContain(token);
});

test("the list has pages", async () => {
  for (const name of ["a", "b", "c"]) {
    await ask("create", { name, scopes: ["read"] });
    app.clock.advance(1000);
  }
  const { data } = await ask<TokenList>("list?page=2&perPage=2");
  expect(data).toMatchObject({ items: [{ name: "a" }], total: 3, page: 2, perPage: 2 });
  expect((await ask<TokenList>("list")).data).toMatchObject({ total: 3, page: 1, perPage: 25 });
  expect((await ask("list?q=a")).status).toBe(422);
});

test.each([
  ["name", { name: " ", scopes: ["read"] }],
  ["expires", { name: "a", scopes: ["read"], expires: "yesterday" }],
  ["expires", { name: "a", scopes: ["read"], expires: "2001-01-01" }],
  ["scopes", { name: "a", scopes: [] }],
  ["scopes.0", { name: "a", scopes: ["admin"] }],
])("invalid input is named: %s", async (field, body) => {
  const { status, error } = await ask("create", body);
  expect(status).toBe(422);
  expect(Object.keys(error?.fields ?? {})).toEqual([field]);
});

test("bearer tokens can't create or revoke tokens, whatever their scopes", async () => {
  const { db, clock } = app;
  const scopes = ["read", "write"];
  const { token } = await createApiToken({ db, clock, name: "all", scopes });
  const bearer = { authorization: `Bearer ${token}` };
  expect((await ask("list", undefined, bearer)).status).toBe(200);
  for (const headers of [bearer, {}]) {
    expect((await ask("create", { name: "b", scopes }, headers)).status).toBe(401);
    expect((await ask("revoke", { name: "all" }, headers)).status).toBe(401);
  }
  const foreign = { cookie, origin: "https://evil.example" };
  expect((await ask("create", { name: "b", scopes }, foreign)).status).toBe(403);
  expect((await ask<TokenList>("list")).data.items).toHaveLength(1);
});
