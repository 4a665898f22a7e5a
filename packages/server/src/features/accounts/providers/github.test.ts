import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startGithub, type TestGithub } from "../../../../../../test/support/github.ts";
import type { TestBrowser } from "../../../../../../test/support/oidc-browser.ts";
import {
  callbackUrl,
  type ProviderSite,
  siteUrl,
  startProviderSite,
} from "../../../../../../test/support/oidc-site.ts";
import { findUserByEmail } from "../store.ts";
import { githubEndpoints } from "./github.ts";
import { listUserLinks } from "./link-store.ts";
import type { IdentityProvider } from "./provider.ts";

let github: TestGithub;
let site: ProviderSite;

beforeAll(async () => {
  github = await startGithub(callbackUrl("github"));
});
afterAll(() => github[Symbol.asyncDispose]());

function provider(): IdentityProvider {
  const { issuer, clientId, clientSecret } = github;
  return { id: "github", kind: "github", name: "GitHub", issuer, clientId, clientSecret };
}

beforeEach(async () => {
  site = await startProviderSite({ providers: [provider()] });
  github.user = { id: 583_231, login: "octocat", name: "The Octocat", email: "public@example.com" };
  github.emails = [
    { email: "other@example.com", primary: false, verified: true, visibility: null },
    { email: "Octocat@GitHub.com", primary: true, verified: true, visibility: "private" },
  ];
  github.also = {};
  github.requests.length = 0;
  return () => site[Symbol.asyncDispose]();
});

const start = "/api/account/oauth/github";

function signIn(browser: TestBrowser) {
  const stopAt = (url: URL) => url.origin === siteUrl && !url.pathname.startsWith("/api/");
  return browser.open(start, { stopAt });
}

test("a new user signs in with GitHub's primary address and is found again by ID", async () => {
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("octocat@github.com");
  const user = await findUserByEmail(site.db, "octocat@github.com");
  expect(user).toMatchObject({ verified: true, hasPassword: false, name: "The Octocat" });
  const [link] = await listUserLinks(site.db, user?.id ?? 0);
  expect(link).toMatchObject({ issuer: github.issuer, subject: "583231", provider: "github" });

  github.user = { id: 583_231, login: "renamed", name: null, email: null };
  github.emails = [];
  const later = site.browser();
  await signIn(later);
  expect(await site.who(later)).toBe("octocat@github.com");
});

test("a login name that somebody else has taken over doesn't sign them in", async () => {
  await signIn(site.browser());
  github.user = { id: 99, login: "octocat", name: null, email: "octocat@github.com" };
  const browser = site.browser();
  expect((await signIn(browser)).url.search).toBe("?problem=email_already_registered");
  expect(await site.who(browser)).toBeNull();
});

test.each([
  ["not verified", { primary: true, verified: false }],
  ['verified by the string "true"', { primary: true, verified: "true" }],
  ["verified, but not the primary one", { primary: false, verified: true }],
  ['primary by the string "true"', { primary: "true", verified: true }],
])("abuse 33: an address that is %s creates no account", async (_name, reply) => {
  github.emails = [{ email: "octocat@github.com", visibility: null, ...reply }];
  const browser = site.browser();
  expect((await signIn(browser)).url.search).toBe("?problem=email_not_verified");
  expect(await findUserByEmail(site.db, "octocat@github.com")).toBeNull();
  // GitHub doesn't confirm the public address of a profile.
  expect(await findUserByEmail(site.db, "public@example.com")).toBeNull();
});

test("abuse 36: the redirect has PKCE by S256 and a state and requests only the addresses", async () => {
  await signIn(site.browser());
  const [requested] = github.requests;
  expect(requested?.get("code_challenge_method")).toBe("S256");
  expect(requested?.get("code_challenge")).toMatch(/^[\w-]{43}$/);
  expect(requested?.get("state")).toMatch(/^[\w-]{43}$/);
  expect(requested?.get("scope")).toBe("user:email");
  expect(requested?.get("redirect_uri")).toBe(callbackUrl("github"));
});

test("abuse 34: a state from a different browser and a reused code are refused", async () => {
  const stopAt = (url: URL) => url.pathname.endsWith("/callback");
  const attacker = site.browser();
  const { url } = await attacker.open(start, { stopAt });
  expect((await site.browser().open(url.href)).status).toBe(400);
  const thief = site.browser();
  const started = await thief.open(start, { stopAt });
  started.url.searchParams.set("code", url.searchParams.get("code") ?? "");
  expect((await thief.open(started.url.href)).status).toBe(502);
  expect(await site.who(thief)).toBeNull();
});

test("additional values from GitHub are ignored", async () => {
  github.also = { iss: "https://github.com/login/oauth", setup_action: "install" };
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("octocat@github.com");
});

test.each([
  ["no id", undefined],
  ["an id that is a text", "583231"],
  ["an id that is no whole number", 1.5],
])("a user with %s is refused", async (_name, id) => {
  github.user = { ...github.user, id };
  const browser = site.browser();
  expect((await signIn(browser)).status).toBe(502);
  expect(await site.who(browser)).toBeNull();
});

test("a wrong client secret is reported as the site's fault and signs nobody in", async () => {
  site.providers = [{ ...provider(), clientSecret: "wrong" }];
  const browser = site.browser();
  expect((await signIn(browser)).status).toBe(502);
  expect(await site.who(browser)).toBeNull();
});

test("github.com's API is on a different host", () => {
  expect(githubEndpoints({ ...provider(), issuer: null })).toEqual({
    issuer: "https://github.com",
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    api: "https://api.github.com",
  });
  const own = githubEndpoints({ ...provider(), issuer: "https://git.example/" });
  expect(own.api).toBe("https://git.example/api/v3");
});
