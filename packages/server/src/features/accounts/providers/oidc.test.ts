import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startOidc, type TestOidc } from "../../../../../../test/support/oidc.ts";
import {
  callbackUrl,
  type ProviderSite,
  siteUrl,
  startProviderSite,
} from "../../../../../../test/support/oidc-site.ts";
import {
  startSignIn,
  returnFromProvider,
  ended,
  link,
  providerOf,
  signIn,
} from "../../../../../../test/support/oidc-steps.ts";
import { findUserByEmail, insertUser } from "../store.ts";
import { listUserLinks } from "./link-store.ts";

let oidc: TestOidc;
let site: ProviderSite;

beforeAll(async () => {
  oidc = await startOidc({ callbacks: [callbackUrl("test"), callbackUrl("other")] });
});
afterAll(() => oidc[Symbol.asyncDispose]());

beforeEach(async () => {
  site = await startProviderSite({ providers: [providerOf(oidc)] });
  oidc.user = { sub: "person-1", email: "Ann@Example.com", email_verified: true, name: "Ann" };
  oidc.consents = true;
  oidc.requests.length = 0;
  return () => site[Symbol.asyncDispose]();
});

describe("signing in", () => {
  test("a new user gets a confirmed account without a password and is signed in", async () => {
    const browser = site.browser();
    expect(await signIn(browser, "?return_to=/projects/secret%3Fa=1")).toBe("/projects/secret?a=1");
    expect(await site.who(browser)).toBe("ann@example.com");
    const user = await findUserByEmail(site.db, "ann@example.com");
    expect(user).toMatchObject({ verified: true, hasPassword: false, name: "Ann" });
    const [pending] = await listUserLinks(site.db, user?.id ?? 0);
    expect(pending).toMatchObject({ provider: "test", issuer: oidc.issuer, subject: "person-1" });
    expect(browser.cookie(siteUrl, "__Host-vitrine_oauth")).toBeUndefined();
  });

  test("the same identity is the same user, even if the address has changed", async () => {
    await signIn(site.browser());
    site.clock.advance(1000);
    oidc.user = { sub: "person-1", email: "married@example.com", email_verified: false };
    const later = site.browser();
    expect(await signIn(later)).toBe("/account");
    expect(await site.who(later)).toBe("ann@example.com");
    const user = await findUserByEmail(site.db, "ann@example.com");
    const [pending] = await listUserLinks(site.db, user?.id ?? 0);
    expect(pending?.last_used_at).toBe(new Date(site.clock.now()).toISOString());
  });

  test("two concurrent first sign-ins of one person create one user", async () => {
    const browsers = [site.browser(), site.browser(), site.browser()];
    const returns = await Promise.all(browsers.map((browser) => returnFromProvider(browser)));
    await Promise.all(
      returns.map((url, index) => browsers[index]?.open(url.href, { stopAt: ended })),
    );
    const who = await Promise.all(browsers.map((browser) => site.who(browser)));
    expect(who).toEqual(Array.from({ length: 3 }, () => "ann@example.com"));
  });

  test("an address that may not join gets no account", async () => {
    site.open = false;
    expect(await signIn(site.browser())).toBe("/account?problem=joining_closed");
    expect(await findUserByEmail(site.db, "ann@example.com")).toBeNull();
  });

  test("a user who cancels at the provider is redirected back, and nothing changes", async () => {
    oidc.consents = false;
    const browser = site.browser();
    expect(await signIn(browser)).toBe("/account?problem=cancelled");
    expect(await site.who(browser)).toBeNull();
  });

  test("a signed-in user stays signed in", async () => {
    const browser = await site.userBrowser("bob@example.com");
    expect(await signIn(browser, "?return_to=/projects/x")).toBe("/projects/x");
    expect(oidc.requests).toHaveLength(0);
    const response = await browser.get<{ error: unknown }>(startSignIn);
    expect([response.status, response.body.error]).toMatchObject([409, { code: "invalid_state" }]);
  });

  test("a user who has signed in in another tab isn't replaced", async () => {
    const browser = site.browser();
    const back = await returnFromProvider(browser);
    const bob = await site.userBrowser("bob@example.com");
    browser.setCookie(siteUrl, site.guard.cookie.name, bob.cookieValue);
    const { url } = await browser.open(back.href, { stopAt: ended });
    expect(url.search).toBe("?problem=signed_in");
    expect(await site.who(browser)).toBe("bob@example.com");
    expect(await findUserByEmail(site.db, "ann@example.com")).toBeNull();
  });

  test("a return path of another site leads to the account page", async () => {
    const { url } = await site.browser().open(`${startSignIn}?return_to=/projects/x`, {
      from: "https://evil.example",
      stopAt: ended,
    });
    expect(url.href).toBe(`${siteUrl}/account?return_to=%2Fprojects%2Fx`);
    expect(oidc.requests).toHaveLength(0);
  });

  test("JSON clients get envelopes, no redirects", async () => {
    const browser = site.browser();
    const started = await browser.get<{ data: { location: string } }>(startSignIn);
    const back = await returnFromProvider(browser, started.body.data.location);
    const path = `${back.pathname}${back.search}`;
    expect(await browser.get(path)).toMatchObject({
      status: 200,
      body: { ok: true, data: { kind: "signedIn", returnTo: "/account" } },
    });
    expect(await site.who(browser)).toBe("ann@example.com");
    const unknown = await site.browser().get("/api/account/oauth/nobody");
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  test("the discovery document is cached between sign-ins", async () => {
    const before = oidc.described;
    await signIn(site.browser());
    await signIn(site.browser());
    expect(oidc.described - before).toBe(1);
    site.clock.advance(61 * 60_000);
    await returnFromProvider(site.browser());
    expect(oidc.described - before).toBe(2);
  });

  test("responses aren't cached, and addresses with codes aren't sent as referrers", async () => {
    const browser = site.browser();
    const back = await returnFromProvider(browser);
    const { headers } = await browser.open(back.href, { stopAt: ended });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-.*HttpOnly.*SameSite=Lax.*Secure/);
    }
  });

  test("a client that starts many sign-ins without completing them is throttled", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9", accept: "text/html" };
    const ask = () => fetch(`${site.url}${startSignIn}`, { headers, redirect: "manual" });
    for (let count = 0; count < 10; count += 1) expect((await ask()).status).toBe(303);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    site.clock.advance(15 * 60_000);
    expect((await ask()).status).toBe(303);
  });
});

describe("rules", () => {
  test("abuse 32: an address that somebody has signed up with is never linked automatically", async () => {
    for (const verifiedAt of [null, "2026-01-01T00:00:00.000Z"]) {
      const email = verifiedAt === null ? "victim@example.com" : "owner@example.com";
      const now = "2026-01-01T00:00:00.000Z";
      await insertUser(site.db, { email, name: "", passwordHash: "$x", verifiedAt, now });
      oidc.user = { sub: `owner-of-${email}`, email: email.toUpperCase(), email_verified: true };
      const browser = site.browser();
      expect(await signIn(browser)).toBe("/account?problem=email_already_registered");
      expect(await site.who(browser)).toBeNull();
      const user = await findUserByEmail(site.db, email);
      expect(user).toMatchObject({ verified: verifiedAt !== null, hasPassword: true });
      expect(await listUserLinks(site.db, user?.id ?? 0)).toEqual([]);
    }
  });

  test.each([
    ["false", false],
    ["missing", undefined],
    ['the string "true"', "true"],
    ["1", 1],
    ["null", null],
  ])("abuse 33: email_verified %s creates no account and no link", async (_name, reply) => {
    oidc.user = { sub: "person-2", email: "eve@example.com", email_verified: reply };
    const browser = site.browser();
    expect(await signIn(browser)).toBe("/account?problem=email_not_verified");
    expect(await site.who(browser)).toBeNull();
    expect(await findUserByEmail(site.db, "eve@example.com")).toBeNull();
    const bob = await site.userBrowser("bob@example.com");
    expect(await link(bob)).toBe("/account?problem=email_not_verified");
    expect(await listUserLinks(site.db, bob.user.id)).toEqual([]);
  });

  test("abuse 33: an invalid address creates no account", async () => {
    oidc.user = { sub: "person-3", email: "a\r\nbcc: b@example.com", email_verified: true };
    expect(await signIn(site.browser())).toBe("/account?problem=email_not_verified");
  });

  test("abuse 36: the redirect to a provider always has PKCE by S256, state, and nonce", async () => {
    await signIn(site.browser());
    await signIn(site.browser());
    expect(oidc.requests).toHaveLength(2);
    for (const requested of oidc.requests) {
      expect(requested.get("code_challenge_method")).toBe("S256");
      expect(requested.get("code_challenge")).toMatch(/^[\w-]{43}$/);
      expect(requested.get("state")).toMatch(/^[\w-]{43}$/);
      expect(requested.get("nonce")).toMatch(/^[\w-]{43}$/);
      expect(requested.get("redirect_uri")).toBe(callbackUrl("test"));
      expect(requested.get("response_type")).toBe("code");
    }
    for (const name of ["code_challenge", "state", "nonce"]) {
      expect(new Set(oidc.requests.map((requested) => requested.get(name))).size).toBe(2);
    }
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "https://evil.example/",
    "/\t/evil.example",
    "/%2e%2e//evil.example/..//x",
    "javascript:alert(1)",
    `/${"x".repeat(1500)}`,
  ])("abuse 37: return_to %s stays on this site", async (place) => {
    const to = await signIn(site.browser(), `?${new URLSearchParams({ return_to: place })}`);
    expect(new URL(to, siteUrl).origin).toBe(siteUrl);
    expect(to).toMatch(/^\/(?![/\\])/);
  });
});
