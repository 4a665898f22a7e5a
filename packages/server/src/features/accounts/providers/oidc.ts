import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  getJwksCache,
  type IDToken,
  None,
  type ServerMetadata,
  setJwksCache,
} from "openid-client";
import type { Clock } from "../../../kit/clock.ts";
import { type Discovered, type Discovery, isPlain, type ProviderDocument } from "./discovery.ts";
import {
  emailOf,
  type ProtocolRequest,
  type Identity,
  nameOf,
  type Protocol,
  subjectOf,
} from "./identity.ts";
import { ProviderError } from "./provider-error.ts";
import type { Fetch } from "./outbound.ts";
import type { IdentityProvider } from "./provider.ts";

/** Tolerated difference between a provider's clock and ours, s. */
const skew = 60;

/**
 * Leaves letters, digits, and `*-._` as they are (URL standard, 5.2), so servers that don't decode
 * work, too.
 */
function encoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/**
 * RFC 6749, 2.3.1. The library also encodes characters that don't need it, which some servers can't
 * read.
 */
function basicAuth({ clientId, clientSecret }: IdentityProvider): ClientAuth {
  const pair = `${encoded(clientId)}:${encoded(clientSecret)}`;
  const value = `Basic ${Buffer.from(pair).toString("base64")}`;
  return (_server, _client, _body, headers) => headers.set("authorization", value);
}

/** Every server has to support Basic (RFC 6749, 2.3.1) unless it says otherwise. */
export function clientAuth(provider: IdentityProvider, document: ProviderDocument): ClientAuth {
  if (provider.clientSecret === "") return None();
  const methods = document.token_endpoint_auth_methods_supported;
  const posts = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
  return posts ? ClientSecretPost(provider.clientSecret) : basicAuth(provider);
}

function configurationOf(
  provider: IdentityProvider,
  { document, keys }: Discovered,
  fetch: Fetch,
  clock: Clock,
): Configuration {
  const client = {
    [clockTolerance]: skew,
    // The library would use the system's time; ours counts.
    [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
  };
  const auth = clientAuth(provider, document);
  const config = new Configuration(document as ServerMetadata, provider.clientId, client, auth);
  config[customFetch] = (url, init) => fetch(url, init as RequestInit);
  // Without this, the library accepts an ID token received over TLS without verifying its
  // signature.
  enableNonRepudiationChecks(config);
  if (isPlain(new URL(document.issuer))) allowInsecureRequests(config);
  if (keys) setJwksCache(config, keys);
  return config;
}

/**
 * Checks that the library leaves to its caller (OpenID Connect Core 1.0, 3.1.3.7, rules 5 and 10).
 */
function checkClaims(claims: IDToken, { provider, flow }: ProtocolRequest, now: number): void {
  if (claims.azp !== undefined && claims.azp !== provider.clientId) {
    throw new ProviderError("its response was meant for another site");
  }
  const late = claims.iat > now / 1000 + skew;
  if (late || claims.iat < flow.startedAt / 1000 - skew) {
    throw new ProviderError("its response has expired, or its clock is wrong");
  }
}

type Claims = Record<string, unknown>;

/**
 * The address confirmed by the boolean `true` and nothing else. Address and confirmation come from
 * the same source: the ID token or, if it has neither, the userinfo endpoint.
 */
function confirmedAddress(...sources: (Claims | null)[]): string | null {
  const reply = sources.find((claims) => claims && "email" in claims && "email_verified" in claims);
  return reply?.["email_verified"] === true ? emailOf(reply["email"]) : null;
}

/** OpenID Connect Core 1.0: the authorization code flow with PKCE, state, and nonce. */
export function makeOidc({ discovery, clock }: { discovery: Discovery; clock: Clock }): Protocol {
  async function claimsOf(ask: ProtocolRequest, callback: URL): Promise<[IDToken, Claims | null]> {
    const found = await discovery.find(ask.provider, ask.fetch);
    const config = configurationOf(ask.provider, found, ask.fetch, clock);
    const tokens = await authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: ask.flow.verifier,
      expectedState: ask.flow.state,
      expectedNonce: ask.flow.nonce,
      idTokenExpected: true,
    });
    found.keys = getJwksCache(config);
    const claims = tokens.claims();
    if (!claims) throw new ProviderError("its response doesn't identify you");
    checkClaims(claims, ask, clock.now());
    const isComplete = "email" in claims && "email_verified" in claims;
    if (isComplete || found.document.userinfo_endpoint === undefined) return [claims, null];
    return [claims, await fetchUserInfo(config, tokens.access_token, claims.sub)];
  }

  return {
    async authorizationUrl({ provider, flow, redirectUri, fetch }) {
      const found = await discovery.find(provider, fetch);
      return buildAuthorizationUrl(configurationOf(provider, found, fetch, clock), {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
      });
    },
    async identify(ask, callback): Promise<Identity> {
      try {
        const [claims, user] = await claimsOf(ask, callback);
        return {
          issuer: claims.iss,
          subject: subjectOf(claims.sub),
          email: confirmedAddress(claims, user),
          name: nameOf(claims["name"] ?? user?.["name"]),
        };
      } catch (error) {
        // Its addresses or keys may have changed since the last fetch.
        discovery.invalidate(ask.provider);
        throw error;
      }
    },
  };
}
