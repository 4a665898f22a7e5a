import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startGithub, type TestGithub } from "../../../../../../test/support/github.ts";
import { startOidc, type TestOidc } from "../../../../../../test/support/oidc.ts";
import {
  respondForever,
  type MisbehavingOidc,
  respondWith,
  neverRespond,
  startMisbehavingOidc,
} from "../../../../../../test/support/misbehaving-oidc.ts";
import { callbackUrl, siteUrl as baseUrl } from "../../../../../../test/support/oidc-site.ts";
import type { IdentityProvider } from "./provider.ts";
import { testProvider } from "./test-provider.ts";

let oidc: TestOidc;
let misbehaving: MisbehavingOidc;
let github: TestGithub;

beforeAll(async () => {
  [oidc, misbehaving, github] = await Promise.all([
    startOidc({ callbacks: [callbackUrl("it")] }),
    startMisbehavingOidc(),
    startGithub(callbackUrl("it")),
  ]);
});
afterAll(async () => {
  for (const server of [oidc, misbehaving, github]) await server[Symbol.asyncDispose]();
});
beforeEach(() => misbehaving.honest());

type Server = Pick<IdentityProvider, "clientId" | "clientSecret"> & { issuer: string };

function at(server: Server, more: Partial<IdentityProvider> = {}): IdentityProvider {
  const { issuer, clientId, clientSecret } = server;
  return { id: "it", kind: "oidc", name: "It", issuer, clientId, clientSecret, ...more };
}

const known = "It accepts the client ID and secret.";
const options = { baseUrl, limitMs: 20_000 };

test("a provider reports its issuer, its sign-in address, and that it knows the client", async () => {
  const { issuer, signInAt, notes } = await testProvider(at(oidc), options);
  expect([issuer, signInAt]).toEqual([oidc.issuer, `${oidc.issuer}/auth`]);
  expect(notes).toContain(known);
  expect(notes.join(" ")).toContain("PKCE with S256");
  expect(notes.join(" ")).toContain(`${oidc.issuer}/token`);
});

test("GitHub reports whether it knows the client, too", async () => {
  const found = await testProvider(at(github, { kind: "github" }), options);
  expect(found.signInAt).toBe(`${github.issuer}/login/oauth/authorize`);
  expect(found.notes).toContain(known);
});

test.each([
  ["a secret that is wrong", () => at(oidc, { clientSecret: "wrong" })],
  ["a client that is unknown", () => at(oidc, { clientId: "somebody" })],
  ["GitHub with a secret that is wrong", () => at(github, { kind: "github", clientSecret: "x" })],
  ["GitHub with a client that is unknown", () => at(github, { kind: "github", clientId: "x" })],
])("%s is reported", async (_name, provider) => {
  await expect(testProvider(provider(), options)).rejects.toMatchObject({
    code: "upstream_failed",
    message: expect.stringContaining("doesn't accept this client ID and secret"),
  });
});

test("a different callback address at GitHub is reported with the right one", async () => {
  const provider = at(github, { kind: "github", id: "other" });
  await expect(testProvider(provider, options)).rejects.toThrow(callbackUrl("other"));
});

test("missing PKCE support is reported", async () => {
  misbehaving.misbehavior.document = { code_challenge_methods_supported: undefined };
  expect((await testProvider(at(misbehaving), options)).notes.join(" ")).toContain(
    "doesn't announce PKCE",
  );
  misbehaving.misbehavior.document = { code_challenge_methods_supported: ["plain"] };
  expect((await testProvider(at(misbehaving), options)).notes.join(" ")).toContain("without S256");
});

test.each<[string, () => void, string]>([
  [
    "another issuer",
    () => (misbehaving.misbehavior.document = { issuer: "https://x.example" }),
    "its issuer doesn't match",
  ],
  [
    "no description",
    () => (misbehaving.misbehavior.at = { discovery: respondWith("", "text/plain", 404) }),
    "status 404",
  ],
  [
    "a page for one",
    () => (misbehaving.misbehavior.at = { discovery: respondWith("<p>", "text/html") }),
    "isn't JSON",
  ],
  [
    "half of one",
    () => (misbehaving.misbehavior.document = { jwks_uri: undefined }),
    "has no valid jwks_uri",
  ],
  [
    "no keys",
    () => (misbehaving.misbehavior.at = { jwks: respondWith('{"keys":[]}') }),
    "publishes no keys",
  ],
  [
    "too much",
    () => (misbehaving.misbehavior.at = { discovery: respondForever }),
    "response is too large",
  ],
])("%s is explained", async (_name, lie, words) => {
  lie();
  await expect(testProvider(at(misbehaving), options)).rejects.toMatchObject({
    code: "upstream_failed",
    message: expect.stringContaining(words),
  });
});

test("providers that don't respond or don't exist are reported", async () => {
  misbehaving.misbehavior.at = { discovery: neverRespond };
  await expect(testProvider(at(misbehaving), { baseUrl, limitMs: 200 })).rejects.toThrow(
    "n't respond in time",
  );
  const nobody = at(misbehaving, { issuer: "http://127.0.0.1:9" });
  await expect(testProvider(nobody, options)).rejects.toThrow(/nothing responds|couldn't be used/);
});

test("a multi-tenant issuer is refused, because other tenants could sign in", async () => {
  const issuer = "https://login.microsoftonline.com/common/v2.0";
  const document = { issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" };
  const fetch = async () => Response.json({ ...document, ...places(issuer) });
  const tried = testProvider(at(oidc, { issuer }), { ...options, fetch });
  await expect(tried).rejects.toThrow("its issuer is https://login.microsoftonline.com/{tenantid}");
});

function places(root: string) {
  return {
    authorization_endpoint: `${root}/authorize`,
    token_endpoint: `${root}/token`,
    jwks_uri: `${root}/keys`,
  };
}
