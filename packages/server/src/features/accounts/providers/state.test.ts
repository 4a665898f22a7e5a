import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startOidc, type TestOidc } from "../../../../../../test/support/oidc.ts";
import type { TestBrowser } from "../../../../../../test/support/oidc-browser.ts";
import {
  callbackUrl,
  type ProviderSite,
  siteUrl,
  startProviderSite,
} from "../../../../../../test/support/oidc-site.ts";
import {
  returnFromProvider,
  ended,
  providerOf,
} from "../../../../../../test/support/oidc-steps.ts";

let oidc: TestOidc;
let site: ProviderSite;

beforeAll(async () => {
  oidc = await startOidc({ callbacks: [callbackUrl("test"), callbackUrl("other")] });
});
afterAll(() => oidc[Symbol.asyncDispose]());

beforeEach(async () => {
  site = await startProviderSite({ providers: [providerOf(oidc)] });
  oidc.user = { sub: "person-1", email: "Ann@Example.com", email_verified: true, name: "Ann" };
  return () => site[Symbol.asyncDispose]();
});

const refused = async (browser: TestBrowser, address: string) => {
  const { status, text } = await browser.open(address, { from: oidc.issuer });
  expect(text).toContain("Start it again");
  expect(await site.who(browser)).toBeNull();
  return status;
};

test("abuse 34: missing, twice or made up is refused", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const state = back.searchParams.get("state") ?? "";
  const without = new URL(back);
  without.searchParams.delete("state");
  const twice = new URL(back);
  twice.searchParams.append("state", state);
  const other = new URL(back);
  other.searchParams.set("state", state.slice(1) + state.slice(0, 1));
  for (const url of [without, twice, other]) expect(await refused(browser, url.href)).toBe(400);
  // What this browser has begun is none the worse for it.
  await browser.open(back.href, { stopAt: ended });
  expect(await site.who(browser)).toBe("ann@example.com");
});

test("abuse 34: used before is refused, also with the cookie as it was", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const cookie = browser.cookie(siteUrl, "__Host-vitrine_oauth") ?? "";
  await browser.open(back.href, { stopAt: ended });
  const thief = site.browser();
  thief.setCookie(siteUrl, "__Host-vitrine_oauth", cookie);
  expect(await refused(thief, back.href)).toBe(400);
});

test("abuse 34: of another browser is refused", async () => {
  const attacker = site.browser();
  const back = await returnFromProvider(attacker);
  expect(await refused(site.browser(), back.href)).toBe(400);
  const victim = site.browser();
  await returnFromProvider(victim);
  expect(await refused(victim, back.href)).toBe(400);
});

test("abuse 34: of another provider is refused, and so is one that has expired", async () => {
  site.providers.push(providerOf(oidc, "other"));
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  expect(await refused(browser, back.href.replace("/test/", "/other/"))).toBe(400);
  site.clock.advance(10 * 60_000);
  expect(await refused(browser, back.href)).toBe(400);
});

test("abuse 34: a flow's cookie that was altered, or sealed by another key, is none", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const cookie = browser.cookie(siteUrl, "__Host-vitrine_oauth") ?? "";
  const [keyId, sealed = ""] = cookie.split(".");
  const altered = (sealed.startsWith("A") ? "B" : "A") + sealed.slice(1);
  for (const bad of [`${keyId}.${altered}`, `k9.${sealed}`, sealed, "x"]) {
    browser.setCookie(siteUrl, "__Host-vitrine_oauth", bad);
    expect(await refused(browser, back.href)).toBe(400);
  }
});

test("what a browser carries can't be read", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const cookie = browser.cookie(siteUrl, "__Host-vitrine_oauth") ?? "";
  const plain = Buffer.from(cookie.split(".")[1] ?? "", "base64url").toString("latin1");
  expect(plain).not.toContain(back.searchParams.get("state"));
  expect(plain).not.toContain("verifier");
});
