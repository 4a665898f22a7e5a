import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
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
import { insertLink, listUserLinks } from "./link-store.ts";

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

test("a user links a provider, gets a notice by email, and can sign in with it", async () => {
  const bob = await site.userBrowser("bob@example.com");
  expect(await link(bob)).toBe("/account?done=linked");
  await site.email.deliver();
  expect(site.email.last("bob@example.com")?.subject).toContain("Test ID linked");
  const list = await bob.get<{ data: { linked: object[] } }>("/api/account/oauth");
  expect(list.body.data.linked).toMatchObject([
    { provider: "test", name: "Test ID", email: "ann@example.com", usable: true },
  ]);
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("bob@example.com");
});

test("linking needs a recent sign-in, because a browser may have been left signed in", async () => {
  const bob = await site.userBrowser("bob@example.com");
  site.clock.advance(10 * 60_000 + 1);
  const response = await bob.post(`${startSignIn}/link`, {});
  expect(response).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
});

test("linking the same account again changes nothing; a second one of the provider is refused", async () => {
  const bob = await site.userBrowser("bob@example.com");
  await link(bob);
  expect(await link(bob)).toBe("/account?done=linked");
  await site.email.deliver();
  expect(site.email.emails()).toHaveLength(1);
  const again = await bob.post(`${startSignIn}/link`, {});
  oidc.user = { ...oidc.user, sub: "person-9" };
  const elsewhere = site.browser();
  elsewhere.setCookie(siteUrl, site.guard.cookie.name, bob.cookieValue);
  expect(again.status).toBe(200);
  expect(await link(elsewhere)).toBe("/account?problem=already_linked");
  expect(await listUserLinks(site.db, bob.user.id)).toHaveLength(1);
});

test("an account linked to a different user is refused", async () => {
  await signIn(site.browser());
  const bob = await site.userBrowser("bob@example.com");
  expect(await link(bob)).toBe("/account?problem=link_taken");
  expect(await listUserLinks(site.db, bob.user.id)).toEqual([]);
});

test("linking can't be started signed out or by another site", async () => {
  expect(await site.browser().post(`${startSignIn}/link`, {})).toMatchObject({ status: 401 });
  const bob = await site.userBrowser("bob@example.com");
  const cookie = `${site.guard.cookie.name}=${bob.cookieValue}`;
  const headers = { cookie, origin: "https://evil.example", "content-type": "application/json" };
  const response = await fetch(`${site.url}${startSignIn}/link`, {
    method: "POST",
    headers,
    body: "{}",
  });
  expect(response.status).toBe(403);
});

test("only the user who started linking can complete it", async () => {
  const bob = await site.userBrowser("bob@example.com");
  const started = await bob.post(`${startSignIn}/link`, {});
  const back = await returnFromProvider(bob, (started.body.data as { location: string }).location);
  const eve = await site.userBrowser("eve@example.com");
  bob.setCookie(siteUrl, site.guard.cookie.name, eve.cookieValue);
  const { url } = await bob.open(back.href, { stopAt: ended });
  expect(url.search).toBe("?problem=signed_out");
  expect(await listUserLinks(site.db, bob.user.id)).toEqual([]);
  expect(await listUserLinks(site.db, eve.user.id)).toEqual([]);
});

test("unlinking sends a notice and ends sign-in with the provider", async () => {
  const bob = await site.userBrowser("bob@example.com");
  await link(bob);
  await site.email.deliver();
  expect(await bob.post(`${startSignIn}/unlink`)).toMatchObject({ status: 200 });
  expect(await bob.post(`${startSignIn}/unlink`)).toMatchObject({ status: 404 });
  await site.email.deliver();
  expect(site.email.last("bob@example.com")?.subject).toContain("Test ID unlinked");
  expect(await listUserLinks(site.db, bob.user.id)).toEqual([]);
});

test("unlinking can't lock a user out: without a password, one way to sign in has to stay", async () => {
  const bob = await site.userBrowser("bob@example.com", { password: false });
  await link(bob);
  const refused = await bob.post(`${startSignIn}/unlink`);
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  expect(await listUserLinks(site.db, bob.user.id)).toHaveLength(1);

  // A second one counts only while its provider is configured and is the same as when it was
  // linked.
  const other = providerOf(oidc, "other");
  await insertLink(site.db, {
    user_id: bob.user.id,
    provider: "other",
    issuer: other.issuer ?? "",
    subject: "person-8",
    email: "",
    created_at: "2026-01-01T00:00:00.000Z",
    last_used_at: null,
  });
  expect(await bob.post(`${startSignIn}/unlink`)).toMatchObject({ status: 409 });
  site.providers.push({ ...other, issuer: "https://another.example" });
  expect(await bob.post(`${startSignIn}/unlink`)).toMatchObject({ status: 409 });
  site.providers.splice(1, 1, { ...other, issuer: `${other.issuer}/` });
  const both = await Promise.all([
    bob.post(`${startSignIn}/unlink`),
    bob.post("/api/account/oauth/other/unlink"),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await listUserLinks(site.db, bob.user.id)).toHaveLength(1);
});
