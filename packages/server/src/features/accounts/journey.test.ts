import { expect, test } from "vitest";
import { startAccountApp, userPassword } from "../../../../../test/support/account-app.ts";

test("an account is created, confirmed, used, and deleted by email and password", async () => {
  await using site = await startAccountApp();
  const user = site.browser();
  const email = "ada@example.org";
  const reply = { email: " Ada@Example.org ", password: userPassword, name: "Ada" };
  expect(await user.post("/api/account/signup", reply)).toMatchObject({
    status: 202,
    data: { accepted: true },
  });
  const early = await user.post("/api/account/signin", { email, password: userPassword });
  expect([early.status, early.error.code]).toEqual([401, "invalid_credentials"]);
  const token = await site.token(email);
  expect(await user.post("/api/account/verify", { token })).toMatchObject({ data: { email } });
  expect(user.cookie).toBe("");
  const signedIn = await user.post("/api/account/signin", { email, password: userPassword });
  expect(signedIn).toMatchObject({
    status: 200,
    data: { user: { email, name: "Ada", verified: true, hasPassword: true } },
  });
  expect(String(signedIn.headers["set-cookie"])).toMatch(
    /^vitrine_account=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(await user.get("/api/account/me")).toMatchObject({ data: { user: { email } } });
  expect((await user.post("/api/account/signout")).status).toBe(200);
  expect(user.cookie).toBe("");
  expect((await user.get("/api/account/me")).status).toBe(401);
});
