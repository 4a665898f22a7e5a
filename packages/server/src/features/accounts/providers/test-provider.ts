import {
  allowInsecureRequests,
  Configuration,
  customFetch,
  genericGrantRequest,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { z } from "zod";
import { randomToken } from "../../../kit/hash.ts";
import { isPlain, type ProviderDocument, readDocument } from "./discovery.ts";
import { ProviderError } from "./provider-error.ts";
import { githubEndpoints } from "./github.ts";
import { clientAuth } from "./oidc.ts";
import { type Fetch, makeOutboundClient } from "./outbound.ts";
import { callbackAddress, type IdentityProvider } from "./provider.ts";

/** The result of testing a provider. */
export interface ProviderTest {
  issuer: string;
  /** Where users are sent to sign in. */
  signInAt: string;
  /** Other observations, as sentences. */
  notes: string[];
}

const unknownClient = "it doesn't accept this client ID and secret";

/**
 * Finds out whether the client is known by sending an invalid code: servers check the client first
 * (RFC 6749, 5.2), so this changes nothing.
 */
async function tryClient(
  provider: IdentityProvider,
  document: ProviderDocument,
  ask: { fetch: Fetch; redirectUri: string },
): Promise<string> {
  const auth = clientAuth(provider, document);
  const config = new Configuration(document as ServerMetadata, provider.clientId, undefined, auth);
  config[customFetch] = (url, init) => ask.fetch(url, init as RequestInit);
  if (isPlain(new URL(document.issuer))) allowInsecureRequests(config);
  const parameters = {
    code: randomToken(),
    redirect_uri: ask.redirectUri,
    code_verifier: randomToken(),
  };
  try {
    await genericGrantRequest(config, "authorization_code", parameters);
  } catch (error) {
    const isChallenge = error instanceof WWWAuthenticateChallengeError;
    const refusal = error instanceof ResponseBodyError ? error.error : null;
    if (isChallenge || refusal === "invalid_client") throw new ProviderError(unknownClient);
    if (refusal === "invalid_grant") return "It accepts the client ID and secret.";
  }
  return "The client ID and secret will be checked at the first sign-in.";
}

function pkceNote(methods: string[] | undefined): string {
  if (methods === undefined) return "It doesn't announce PKCE support. PKCE is used anyway.";
  if (methods.includes("S256")) return "It supports PKCE with S256.";
  return "It announces PKCE without S256. S256 is used anyway, so sign-ins may fail.";
}

async function tryOidc(provider: IdentityProvider, fetch: Fetch, redirectUri: string) {
  const document = await readDocument(provider, fetch);
  const keys = z.object({ keys: z.array(z.unknown()).min(1) });
  const response = await fetch(document.jwks_uri, { headers: { accept: "application/json" } });
  if (!keys.safeParse(await response.json().catch(() => null)).success) {
    throw new ProviderError("it publishes no keys for verifying its responses");
  }
  return {
    issuer: document.issuer,
    signInAt: document.authorization_endpoint,
    notes: [
      await tryClient(provider, document, { fetch, redirectUri }),
      `Tokens come from ${document.token_endpoint}, signed with ${document.id_token_signing_alg_values_supported.join(", ")}.`,
      pkceNote(document.code_challenge_methods_supported),
    ],
  };
}

const githubTokenResponse = z.object({ error: z.string() });

async function tryGithub(provider: IdentityProvider, fetch: Fetch, redirectUri: string) {
  const places = githubEndpoints(provider);
  const response = await fetch(places.token, {
    method: "POST",
    headers: { accept: "application/json", "user-agent": "vitrine" },
    body: new URLSearchParams({
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      code: randomToken(),
      redirect_uri: redirectUri,
      code_verifier: randomToken(),
    }),
  });
  const reply = githubTokenResponse.safeParse(await response.json().catch(() => null)).data?.error;
  // GitHub responds with 404 for an unknown client ID.
  if (response.status === 404 || reply === "incorrect_client_credentials") {
    throw new ProviderError(unknownClient);
  }
  if (reply === "redirect_uri_mismatch") {
    throw new ProviderError(`its callback address isn't ${redirectUri}`);
  }
  if (reply === undefined) throw new ProviderError(`it responded with status ${response.status}`);
  const known = reply === "bad_verification_code";
  return {
    issuer: places.issuer,
    signInAt: places.authorize,
    notes: [
      known
        ? "It accepts the client ID and secret."
        : "The client ID and secret will be checked at the first sign-in.",
      "It supports PKCE with S256.",
    ],
  };
}

/**
 * Fetches a provider's description and checks whether it knows the client, without changing
 * anything. Throws `upstream_failed` with an explanation.
 */
export async function testProvider(
  provider: IdentityProvider,
  options: { baseUrl: string; fetch?: Fetch; limitMs?: number },
): Promise<ProviderTest> {
  const tryOut = provider.kind === "oidc" ? tryOidc : tryGithub;
  const redirectUri = callbackAddress(options.baseUrl, provider.id);
  return makeOutboundClient(options).send(provider.name, (fetch) =>
    tryOut(provider, fetch, redirectUri),
  );
}
