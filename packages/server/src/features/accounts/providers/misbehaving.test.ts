import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import {
  respondForever,
  type Misbehavior,
  type MisbehavingOidc,
  type OidcEndpoint,
  respondWith,
  redirectTo,
  neverRespond,
  stallMidBody,
  startMisbehavingOidc,
} from "../../../../../../test/support/misbehaving-oidc.ts";
import type { TestBrowser } from "../../../../../../test/support/oidc-browser.ts";
import {
  type ProviderSite,
  siteUrl,
  startProviderSite,
} from "../../../../../../test/support/oidc-site.ts";
import { isoTime } from "../../../kit/time.ts";
import { makeHasher } from "../hasher.ts";
import { findUserByEmail, insertUser } from "../store.ts";
import { maxExchangeMs, makeOutboundClient } from "./outbound.ts";

let misbehaving: MisbehavingOidc;
let site: ProviderSite;

beforeAll(async () => {
  misbehaving = await startMisbehavingOidc();
});
afterAll(() => misbehaving[Symbol.asyncDispose]());

function startSite(limitMs: number): Promise<ProviderSite> {
  const { issuer, clientId, clientSecret } = misbehaving;
  const provider = {
    id: "liar",
    kind: "oidc",
    name: "Liar",
    issuer,
    clientId,
    clientSecret,
  } as const;
  return startProviderSite({ providers: [provider], limitMs });
}

beforeEach(async () => {
  misbehaving.honest();
  site = await startSite(20_000);
  return () => site[Symbol.asyncDispose]();
});

const start = "/api/account/oauth/liar";
const ended = (url: URL) => url.origin === siteUrl && !url.pathname.startsWith("/api/");

function signIn(browser: TestBrowser) {
  return browser.open(start, { stopAt: ended });
}

const refused = "Liar can&#39;t be used";

/** Expects that nobody was signed in or created, and returns the page that names the cause. */
async function refusal(browser: TestBrowser): Promise<string> {
  const { status, text } = await signIn(browser);
  expect(status).toBe(502);
  expect(await site.who(browser)).toBeNull();
  expect(await findUserByEmail(site.db, "ann@example.com")).toBeNull();
  return text;
}

test("a correct response signs in (control for the refusals below)", async () => {
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("ann@example.com");
});

/** By the site's clock, which stands still, so limits are exact to the second. */
const seconds = () => Math.floor(site.clock.now() / 1000);
const wrongTokens: [string, () => Partial<Misbehavior>][] = [
  ["audience", () => ({ claims: { aud: "another-site" } })],
  [
    "audience among others, for another party",
    () => ({ claims: { aud: ["the-site", "x"], azp: "x" } }),
  ],
  ["audience among others, for no party", () => ({ claims: { aud: ["the-site", "x"] } })],
  ["party", () => ({ claims: { azp: "another-site" } })],
  ["nonce", () => ({ claims: { nonce: "of-another-sign-in" } })],
  ["nonce that is missing", () => ({ claims: { nonce: undefined } })],
  ["issuer", () => ({ claims: { iss: "https://accounts.google.com" } })],
  ["issuer that is missing", () => ({ claims: { iss: undefined } })],
  ["algorithm none", () => ({ signed: "none" })],
  [
    "algorithm none that is announced",
    () => ({ signed: "none", document: { id_token_signing_alg_values_supported: ["none"] } }),
  ],
  ["algorithm HS256 with the client secret", () => ({ signed: "HS256" })],
  [
    "algorithm HS256 that is announced",
    () => ({
      signed: "HS256",
      document: { id_token_signing_alg_values_supported: ["HS256", "RS256"] },
    }),
  ],
  ["signature of a key that is not shown", () => ({ signed: "stranger" })],
  ["address under a good signature", () => ({ signed: "altered" })],
  ["expiry", () => ({ claims: { exp: seconds() - 61 } })],
  ["expiry that is missing", () => ({ claims: { exp: undefined } })],
  ["time, two minutes ahead", () => ({ claims: { iat: seconds() + 120 } })],
  ["time, before it was asked for", () => ({ claims: { iat: seconds() - 120 } })],
  ["time of validity", () => ({ claims: { nbf: seconds() + 120 } })],
  ["subject that is missing", () => ({ claims: { sub: undefined } })],
  ["subject that is empty", () => ({ claims: { sub: "" } })],
  ["subject that is a number", () => ({ claims: { sub: 1 } })],
  ["subject of another at the userinfo endpoint", () => ({ user: { sub: "person-2" } })],
];

test.each(wrongTokens)("abuse 35: a wrong %s starts no session", async (_name, lie) => {
  Object.assign(misbehaving.misbehavior, lie());
  expect(await refusal(site.browser())).toContain(refused);
});

test("abuse 35: a clock that is off by less than a minute is accepted", async () => {
  misbehaving.misbehavior.claims = { iat: seconds() + 50, exp: seconds() - 50 };
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("ann@example.com");
});

test("abuse 35: expiry depends on this site's clock", async () => {
  const browser = site.browser();
  misbehaving.misbehavior.claims = { exp: seconds() + 200 };
  const stopAt = (url: URL) => url.pathname.endsWith("/callback");
  const { url } = await browser.open(start, { stopAt });
  site.clock.advance(5 * 60_000);
  const { status } = await browser.open(url.href);
  expect([status, await site.who(browser)]).toEqual([502, null]);
});

test("other values from a provider are ignored", async () => {
  misbehaving.misbehavior.callback = {
    session_state: "e3b0c442.98fc",
    authuser: "0",
    hd: "example.com",
  };
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("ann@example.com");
});

test("abuse 35: a response that names a different provider is refused", async () => {
  misbehaving.misbehavior.callback = { iss: "https://accounts.google.com" };
  expect(await refusal(site.browser())).toContain(refused);
  misbehaving.misbehavior.callback = {};
  misbehaving.misbehavior.document = { authorization_response_iss_parameter_supported: true };
  expect(await refusal(site.browser())).toContain(refused);
});

const wrongDocuments: [string, () => object][] = [
  ["another issuer", () => ({ issuer: "https://accounts.google.com" })],
  ["its issuer with another path", () => ({ issuer: `${misbehaving.issuer}/tenant` })],
  ["no issuer", () => ({ issuer: undefined })],
  ["no keys", () => ({ jwks_uri: undefined })],
  ["plain http elsewhere", () => ({ token_endpoint: "http://somewhere.example/token" })],
  ["a script as its address", () => ({ authorization_endpoint: "javascript:alert(1)" })],
  ["only shared secrets", () => ({ id_token_signing_alg_values_supported: ["HS256"] })],
];

test.each(wrongDocuments)(
  "abuse 35: a discovery document that names %s is refused",
  async (_name, lie) => {
    misbehaving.misbehavior.document = lie() as Misbehavior["document"];
    expect(await refusal(site.browser())).toContain(refused);
    expect(misbehaving.requests.authorize).toBe(0);
  },
);

test.each([
  ["false", { email_verified: false }],
  ["missing", {}],
  ['"true"', { email_verified: "true" }],
])("abuse 33: email_verified %s in the ID token creates no account", async (_name, reply) => {
  // The userinfo endpoint's answer for a different address is ignored.
  misbehaving.misbehavior.claims = {
    email: "ann@example.com",
    email_verified: undefined,
    ...reply,
  };
  misbehaving.misbehavior.user = { sub: "person-1", email: "ann@example.com", ...reply };
  const browser = site.browser();
  const { url } = await signIn(browser);
  expect(url.search).toBe("?problem=email_not_verified");
  expect(await findUserByEmail(site.db, "ann@example.com")).toBeNull();
});

test("abuse 33: an address and its confirmation come from the same source", async () => {
  misbehaving.misbehavior.claims = { email: "victim@example.com" };
  misbehaving.misbehavior.user = { sub: "person-1", email_verified: true };
  const { url } = await signIn(site.browser());
  expect(url.search).toBe("?problem=email_not_verified");
});

const places: OidcEndpoint[] = ["discovery", "token", "jwks", "userinfo"];

test.each(places)("abuse 38: a provider that stalls at %s is aborted", async (place) => {
  await site[Symbol.asyncDispose]();
  site = await startSite(400);
  for (const stall of [neverRespond, stallMidBody]) {
    misbehaving.misbehavior.at = { [place]: stall };
    const text = await refusal(site.browser());
    expect(text).toContain("respond in time");
  }
});

test("abuse 38: the limit covers a sign-in's whole exchange and is below ten seconds", async () => {
  expect(maxExchangeMs).toBeLessThan(10_000);
  expect(maxExchangeMs).toBeGreaterThan(5_000);
});

test("abuse 38: signing in with a password works while a provider stalls", async () => {
  const password = "correct horse battery";
  const passwordHash = await makeHasher().hash(password);
  const now = isoTime(site.clock.now());
  const email = "bob@example.com";
  await insertUser(site.db, { email, name: "", passwordHash, verifiedAt: now, now });
  const stalled: ServerResponse[] = [];
  misbehaving.misbehavior.at = { token: (response) => void stalled.push(response) };
  let isOver = false;
  const waiting = signIn(site.browser()).finally(() => (isOver = true));
  await eventually(() => expect(stalled).toHaveLength(1));
  const providerResponse = await fetch(`${site.url}/api/account/signin`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: siteUrl },
    body: JSON.stringify({ email, password }),
  });
  expect([providerResponse.status, isOver]).toEqual([200, false]);
  expect(await providerResponse.text()).toContain(email);
  expect(providerResponse.headers.getSetCookie()[0]).toContain(site.guard.cookie.name);
  stalled[0]?.destroy();
  expect((await waiting).status).toBe(502);
});

test("the number of stalled exchanges is limited", async () => {
  const outbound = makeOutboundClient({});
  const { promise: end, resolve } = Promise.withResolvers<string>();
  const many = Array.from({ length: 32 }, () => outbound.send("Liar", () => end));
  await expect(outbound.send("Liar", () => end)).rejects.toMatchObject({ code: "unavailable" });
  resolve("over");
  await Promise.all(many);
  expect(await outbound.send("Liar", () => end)).toBe("over");
});

test.each(places)("an endless response at %s is cut off", async (place) => {
  misbehaving.misbehavior.at = { [place]: respondForever };
  expect(await refusal(site.browser())).toContain("response is too large");
});

test.each(places)("a redirect at %s isn't followed", async (place) => {
  misbehaving.misbehavior.at = { [place]: redirectTo(`${misbehaving.issuer}/elsewhere`) };
  expect(await refusal(site.browser())).toContain(refused);
  expect(misbehaving.requests.elsewhere).toBe(0);
});

test.each(places)("a response at %s that isn't JSON is refused", async (place) => {
  for (const providerResponse of [
    respondWith("<!doctype html>", "text/html"),
    respondWith("{"),
    respondWith("[]"),
    respondWith("null"),
    respondWith("", "application/json", 500),
    respondWith('{"error":"<script>"}', "application/json", 400),
  ]) {
    misbehaving.misbehavior.at = { [place]: providerResponse };
    expect(await refusal(site.browser())).not.toContain("<script>");
  }
});

test("an issuer without TLS is accepted only on this machine", async () => {
  const [provider] = site.providers;
  if (!provider) throw new Error("no provider");
  for (const issuer of ["http://example.com", "ftp://127.0.0.1/", "javascript:alert(1)", ""]) {
    site.providers = [{ ...provider, issuer }];
    expect(await refusal(site.browser())).toContain("an https address");
  }
});

test("after a failure, the discovery document is fetched again", async () => {
  misbehaving.misbehavior.document = { token_endpoint: `${misbehaving.issuer}/moved` };
  expect(await refusal(site.browser())).toContain(refused);
  misbehaving.misbehavior.document = {};
  const browser = site.browser();
  await signIn(browser);
  expect(await site.who(browser)).toBe("ann@example.com");
});
