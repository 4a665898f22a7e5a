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

test("abuse 34: a missing, repeated, or made-up state is refused", async () => {
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
  // It doesn't affect the flow that this browser has started.
  await browser.open(back.href, { stopAt: ended });
  expect(await site.who(browser)).toBe("ann@example.com");
});

test("abuse 34: a used state is refused, even with the original cookie", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const cookie = browser.cookie(siteUrl, "__Host-vitrine_oauth") ?? "";
  await browser.open(back.href, { stopAt: ended });
  const thief = site.browser();
  thief.setCookie(siteUrl, "__Host-vitrine_oauth", cookie);
  expect(await refused(thief, back.href)).toBe(400);
});

test("abuse 34: a state from a different browser is refused", async () => {
  const attacker = site.browser();
  const back = await returnFromProvider(attacker);
  expect(await refused(site.browser(), back.href)).toBe(400);
  const victim = site.browser();
  await returnFromProvider(victim);
  expect(await refused(victim, back.href)).toBe(400);
});

test("abuse 34: an expired state and one from a different provider are refused", async () => {
  site.providers.push(providerOf(oidc, "other"));
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  expect(await refused(browser, back.href.replace("/test/", "/other/"))).toBe(400);
  site.clock.advance(10 * 60_000);
  expect(await refused(browser, back.href)).toBe(400);
});

test("abuse 34: an altered flow cookie, or one with a different key, is invalid", async () => {
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

test("the browser can't read the flow cookie", async () => {
  const browser = site.browser();
  const back = await returnFromProvider(browser);
  const cookie = browser.cookie(siteUrl, "__Host-vitrine_oauth") ?? "";
  const plain = Buffer.from(cookie.split(".")[1] ?? "", "base64url").toString("latin1");
  expect(plain).not.toContain(back.searchParams.get("state"));
  expect(plain).not.toContain("verifier");
});
