import { describe, expect, test } from "vitest";
import { startAccountApp, userPassword } from "../../../../../test/support/account-app.ts";
import { createLog } from "../../platform/log.ts";
import { describeApi } from "../../platform/http/openapi.ts";
import { createHttpServer } from "../../platform/http/server.ts";
import { registerAccounts } from "./api.ts";

const email = "ada@example.org";

const open = [
  "signup",
  "accept",
  "verify",
  "resend",
  "signin",
  "password/forgot",
  "password/reset",
];
const own = ["signout", "password/change", "sessions/revoke", "delete"];
const changes = open.concat(own);

describe("the account API", () => {
  test("accepts JSON with known keys within limits and names the invalid fields", async () => {
    await using site = await startAccountApp();
    const ask = async (path: string, body: unknown) => {
      const { status, error } = await site.browser().post(`/api/account/${path}`, body);
      return [status, error?.code, Object.keys(error?.fields ?? {})];
    };
    const invalid = (...fields: string[]) => [422, "validation_failed", fields];
    const good = { email, password: userPassword, name: "Ada" };
    expect(await ask("signup", { ...good, admin: true })).toEqual(invalid("admin"));
    expect(await ask("signup", { password: userPassword })).toEqual(invalid("email"));
    expect(await ask("signup", { ...good, email: "no address" })).toEqual(invalid("email"));
    expect(await ask("signup", { ...good, email: `${"a".repeat(250)}@example.org` })).toEqual(
      invalid("email"),
    );
    expect(await ask("signup", { ...good, email: { $ne: "" } })).toEqual(invalid("email"));
    expect(await ask("signup", { ...good, password: "short" })).toEqual(invalid("password"));
    expect(await ask("signup", { ...good, password: "x".repeat(3000) })).toEqual(
      invalid("password"),
    );
    expect(await ask("signup", { ...good, name: "x".repeat(121) })).toEqual(invalid("name"));
    expect(await ask("signin", { email, password: ["x"] })).toEqual(invalid("password"));
    expect(await ask("verify", {})).toEqual(invalid("token"));
    expect(await ask("signup", "{")).toEqual([400, "malformed_json", []]);
    expect((await ask("signup", { ...good, name: "x".repeat(300_000) }))[0]).toBe(413);
    await site.email.deliver();
    expect(site.email.emails()).toEqual([]);
  });

  test("abuse 44: line breaks in name and address are refused; an email has one recipient", async () => {
    await using site = await startAccountApp();
    const ask = async (reply: object) => {
      const body = { email, password: userPassword, name: "Ada", ...reply };
      const { status, error } = await site.browser().post("/api/account/signup", body);
      return [status, ...Object.keys(error?.fields ?? {})];
    };
    for (const tail of [
      "\r\nBcc: eve@example.org",
      "\n",
      "\r",
      "\0",
      ", eve@example.org",
      "\u0085",
    ]) {
      expect([tail, ...(await ask({ email: email + tail }))]).toEqual([tail, 422, "email"]);
    }
    for (const name of ["Ada\r\nBcc: eve@example.org", "Ada\n", "\u0000Ada"]) {
      expect([name, ...(await ask({ name }))]).toEqual([name, 422, "name"]);
    }
    expect(await ask({ email: `  ${email} `, name: " Ada \u202e" })).toEqual([202]);
    await site.email.deliver();
    expect(site.email.emails().map(({ to }) => to)).toEqual([email]);
  });

  test("responds only to its own methods and types and disables caching", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    for (const path of changes) {
      const got = await user.get(`/api/account/${path}`);
      expect([path, got.status, got.headers["allow"]]).toEqual([path, 405, "POST"]);
      const form = { "content-type": "application/x-www-form-urlencoded" };
      expect((await user.post(`/api/account/${path}`, "email=x", form)).status).toBe(415);
      const plain = { "content-type": "text/plain" };
      expect((await user.post(`/api/account/${path}`, "{}", plain)).status).toBe(415);
    }
    for (const path of ["me", "sessions", "export"]) {
      const mine = await user.get(`/api/account/${path}`);
      const nobodys = await site.browser().get(`/api/account/${path}`);
      expect([mine.status, mine.headers["cache-control"]]).toEqual([200, "no-store"]);
      expect([nobodys.status, nobodys.headers["cache-control"]]).toEqual([401, "no-store"]);
      expect((await user.post(`/api/account/${path}`, {})).status).toBe(405);
    }
    for (const path of own) {
      expect((await site.browser().post(`/api/account/${path}`, {})).status).toBe(401);
    }
    const refused = await site.browser().post("/api/account/signin", { email, password: "x" });
    expect(refused.headers["cache-control"]).toBe("no-store");
  });

  test("every route is described", async () => {
    await using site = await startAccountApp();
    const log = createLog({ level: "silent", name: "test" });
    const app = createHttpServer({ log, name: "test", secure: false });
    const document = await describeApi(app, { title: "T", version: "1", description: "" });
    const { accounts, guard, clientOf, baseUrl } = site;
    registerAccounts(app, { accounts, guard, clientOf, config: { baseUrl } });
    await app.ready();
    const { paths } = document();
    await app.close();
    const all = [...changes, "me", "sessions", "export"].map((path) => `/api/account/${path}`);
    expect(Object.keys(paths).toSorted()).toEqual(all.toSorted());
    expect(paths["/api/account/me"]).toMatchObject({ get: { security: [{ account: [] }] } });
  });

  test("returns 503 and lets nobody in if the database is unavailable", async () => {
    await using site = await startAccountApp();
    const user = await site.join(email);
    const { cookie } = user;
    await site.db.destroy();
    for (const response of [
      await user.get("/api/account/me"),
      await user.post("/api/account/signout"),
    ]) {
      expect([response.status, response.error.code]).toEqual([503, "unavailable"]);
    }
    expect(user.cookie).toBe(cookie);
  });
});
