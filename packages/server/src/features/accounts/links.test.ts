import { describe, expect, test } from "vitest";
import {
  type AccountApp,
  startAccountApp,
  userPassword,
} from "../../../../../test/support/account-app.ts";
import { issueToken } from "./tokens.ts";

const email = "ada@example.org";
const otherPassword = "another fine password";
const hour = 60 * 60_000;

async function signUp(site: AccountApp): Promise<string> {
  await site.browser().post("/api/account/signup", { email, password: userPassword });
  return site.token(email);
}

async function forgot(site: AccountApp): Promise<string> {
  await site.browser().post("/api/account/password/forgot", { email });
  return site.token(email);
}

async function verify(site: AccountApp, token: string): Promise<string> {
  const { status, error } = await site.browser().post("/api/account/verify", { token });
  return status === 200 ? "ok" : `${status} ${error.code}`;
}

async function reset(site: AccountApp, token: string, password = otherPassword): Promise<string> {
  const path = "/api/account/password/reset";
  const { status, error } = await site.browser().post(path, { token, password });
  return status === 200 ? "ok" : `${status} ${error.code}`;
}

function invite(site: AccountApp): Promise<string> {
  const now = site.clock.now();
  return issueToken(site.db, { purpose: "invite", email, userId: null, now });
}

describe("abuse 40: an invalid link → 400", () => {
  test("used", async () => {
    await using site = await startAccountApp();
    const first = await signUp(site);
    expect([await verify(site, first), await verify(site, first)]).toEqual(["ok", "400 bad_token"]);
    const second = await forgot(site);
    expect([await reset(site, second), await reset(site, second)]).toEqual(["ok", "400 bad_token"]);
  });

  test("expired, even if the clock is set back afterwards", async () => {
    await using site = await startAccountApp();
    const confirming = await signUp(site);
    const start = site.clock.now();
    site.clock.advance(24 * hour);
    expect(await verify(site, confirming)).toBe("400 bad_token");
    site.clock.setWall(start);
    expect(await verify(site, confirming)).toBe("400 bad_token");
    const choosing = await forgot(site);
    site.clock.advance(hour - 1);
    expect(await site.accounts.canReset(choosing)).toBe(true);
    site.clock.advance(1);
    expect(await site.accounts.canReset(choosing)).toBe(false);
    expect(await reset(site, choosing)).toBe("400 bad_token");
    const invitation = await invite(site);
    site.clock.advance(14 * 24 * hour);
    expect(await site.accounts.invited(invitation)).toBeNull();
  });

  test("superseded by a newer one", async () => {
    await using site = await startAccountApp();
    const first = await signUp(site);
    await site.browser().post("/api/account/resend", { email });
    const second = await site.token(email);
    const third = await signUp(site);
    expect(new Set([first, second, third]).size).toBe(3);
    expect([await verify(site, first), await verify(site, second)]).toEqual([
      "400 bad_token",
      "400 bad_token",
    ]);
    expect(await verify(site, third)).toBe("ok");
    const older = await forgot(site);
    const newer = await forgot(site);
    expect([await reset(site, older), await reset(site, newer)]).toEqual(["400 bad_token", "ok"]);
  });

  test("a refused password doesn't use up the link", async () => {
    await using site = await startAccountApp();
    await signUp(site);
    const token = await forgot(site);
    expect(await reset(site, token, "password123")).toBe("422 validation_failed");
    expect(await reset(site, token)).toBe("ok");
  });

  test("made up", async () => {
    await using site = await startAccountApp();
    for (const token of ["", "x", "A".repeat(43), "' or 1=1 --", "Ä".repeat(43)]) {
      expect([token, await verify(site, token)]).toEqual([token, "400 bad_token"]);
      expect(await reset(site, token)).toBe("400 bad_token");
    }
  });
});

test("abuse 41: a token used for a different purpose → 400, and stays valid for its own", async () => {
  await using site = await startAccountApp();
  const accept = async (token: string) => {
    const reply = { token, password: userPassword };
    return (await site.browser().post("/api/account/accept", reply)).status;
  };
  const confirming = await signUp(site);
  const choosing = await forgot(site);
  const invitation = await invite(site);
  expect([await reset(site, confirming), await accept(confirming)]).toEqual(["400 bad_token", 400]);
  expect([await verify(site, choosing), await accept(choosing)]).toEqual(["400 bad_token", 400]);
  expect([await verify(site, invitation), await reset(site, invitation)]).toEqual([
    "400 bad_token",
    "400 bad_token",
  ]);
  expect(await verify(site, confirming)).toBe("ok");
  expect(await reset(site, choosing)).toBe("ok");
});

test("abuse 43: links lead to the configured address, whatever Host a request had", async () => {
  await using site = await startAccountApp({ baseUrl: "https://me.example" });
  const forged = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    forwarded: "host=evil.example",
  };
  const browser = site.browser("198.51.100.4");
  expect(
    (await browser.post("/api/account/signup", { email, password: userPassword }, forged)).status,
  ).toBe(202);
  await site.email.deliver();
  expect((await browser.post("/api/account/password/forgot", { email }, forged)).status).toBe(202);
  await site.email.deliver();
  const emails = site.email.emails();
  expect(emails.map(({ links }) => links.map((link) => link.split("?")[0]))).toEqual([
    [expect.stringMatching(/^https:\/\/me\.example\/account\/verify$/)],
    [expect.stringMatching(/^https:\/\/me\.example\/account\/reset$/)],
  ]);
  for (const { text, html } of emails) expect(`${text}${html ?? ""}`).not.toContain("evil");
});

describe("unconfirmed accounts", () => {
  test("only the password and the link of the newest sign-up are valid", async () => {
    await using site = await startAccountApp();
    const attackers = { email, password: "the attacker's own one" };
    await site.browser().post("/api/account/signup", attackers);
    const older = await site.token(email);
    const newer = await signUp(site);
    expect(await verify(site, older)).toBe("400 bad_token");
    expect(await verify(site, newer)).toBe("ok");
    expect((await site.browser().post("/api/account/signin", attackers)).status).toBe(401);
    const owner = site.browser();
    expect(
      (await owner.post("/api/account/signin", { email, password: userPassword })).status,
    ).toBe(200);
  });

  test("an invitation's link expires with the invitation", async () => {
    let isInvited = true;
    await using site = await startAccountApp({ isInvited: async () => isInvited });
    const token = await invite(site);
    expect(await site.accounts.invited(token)).toEqual({ email, hasAccount: false });
    isInvited = false;
    expect(await site.accounts.invited(token)).toBeNull();
    const reply = { token, password: userPassword, name: "Ada" };
    expect((await site.browser().post("/api/account/accept", reply)).status).toBe(400);
  });

  test("an invitation takes over an unconfirmed account but not a confirmed one", async () => {
    await using site = await startAccountApp();
    const attackers = { email, password: "the attacker's own one" };
    await site.browser().post("/api/account/signup", attackers);
    const confirming = await site.token(email);
    const invitation = await invite(site);
    expect(await site.accounts.invited(invitation)).toEqual({ email, hasAccount: false });
    const guest = site.browser();
    const reply = { token: invitation, password: userPassword, name: "Ada" };
    expect(await guest.post("/api/account/accept", reply)).toMatchObject({
      status: 201,
      data: { user: { email, verified: true, name: "Ada" }, session: { method: "invite" } },
    });
    expect((await guest.get("/api/account/me")).status).toBe(200);
    expect(await verify(site, confirming)).toBe("400 bad_token");
    expect((await site.browser().post("/api/account/signin", attackers)).status).toBe(401);
    const again = await invite(site);
    expect(await site.accounts.invited(again)).toEqual({ email, hasAccount: true });
    const refusal = await site.browser().post("/api/account/accept", { ...reply, token: again });
    expect([refusal.status, refusal.error.code]).toEqual([409, "already_exists"]);
  });
});
