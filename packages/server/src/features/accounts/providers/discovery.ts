import { LRUCache } from "lru-cache";
import {
  allowInsecureRequests,
  customFetch,
  discovery as discover,
  type ExportedJWKSCache,
} from "openid-client";
import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { ProviderError } from "./provider-error.ts";
import type { Fetch } from "./outbound.ts";
import { type IdentityProvider, isSameIssuer, issuerOf } from "./provider.ts";

/**
 * Signatures that only the provider can make. With a shared secret (HS256), its other holders
 * could, and with none, anybody could.
 */
const signatures = new Set(
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" "),
);

const algorithms = z
  .array(z.string())
  .max(100)
  .transform((names) => names.filter((name) => signatures.has(name)));
const stringList = z.array(z.string()).max(100);

/**
 * The parts of a discovery document that are used (OpenID Connect Discovery 1.0, section 3; RFC
 * 9207, section 3).
 */
const documentSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  id_token_signing_alg_values_supported: algorithms.default(["RS256"]),
  userinfo_signing_alg_values_supported: algorithms.default([]),
  token_endpoint_auth_methods_supported: stringList.default(["client_secret_basic"]),
  code_challenge_methods_supported: stringList.optional(),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});
export type ProviderDocument = z.infer<typeof documentSchema>;

/** Cached data about a provider. */
export interface Discovered {
  document: ProviderDocument;
  /** Its keys, once they have been fetched. */
  keys: ExportedJWKSCache | undefined;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/;

/** Whether an address is on this machine and without TLS, which is allowed for an issuer. */
export function isPlain(address: URL): boolean {
  return address.protocol === "http:" && loopback.test(address.hostname);
}

/** The address of a provider's issuer. Throws ProviderError if it is unsafe to send secrets to. */
export function issuerAddress(issuer: string): URL {
  const address = URL.parse(issuer);
  if (address && (address.protocol === "https:" || isPlain(address))) return address;
  throw new ProviderError("its address isn't an https address");
}

/** Fetches the discovery document. It must name exactly the configured issuer. */
export async function readDocument(
  provider: IdentityProvider,
  fetch: Fetch,
): Promise<ProviderDocument> {
  const issuer = issuerAddress(issuerOf(provider));
  const found = await discover(issuer, provider.clientId, undefined, undefined, {
    [customFetch]: (url, init) => fetch(url, init as RequestInit),
    ...(isPlain(issuer) && { execute: [allowInsecureRequests] }),
  });
  const read = documentSchema.safeParse(found.serverMetadata());
  if (!read.success) {
    const field = read.error.issues[0]?.path[0];
    throw new ProviderError(`its configuration has no valid ${String(field)}`);
  }
  const document = read.data;
  // Some providers answer for other issuers as well, but they must not choose which.
  if (!isSameIssuer(document.issuer, issuer.href)) {
    throw new ProviderError(`its issuer is ${document.issuer}`);
  }
  const { authorization_endpoint: signIn, token_endpoint: token, jwks_uri: keys } = document;
  for (const endpoint of [signIn, token, keys, document.userinfo_endpoint ?? token]) {
    const address = new URL(endpoint);
    if (address.protocol !== "https:" && !(isPlain(issuer) && isPlain(address))) {
      throw new ProviderError("its configuration names an address that isn't https");
    }
  }
  if (document.id_token_signing_alg_values_supported.length === 0) {
    throw new ProviderError("it supports no trusted signature algorithm");
  }
  return document;
}

const cacheMs = 60 * 60_000;
const maxCachedProviders = 20;

export interface Discovery {
  /** The provider's discovery document, at most an hour old. */
  find(provider: IdentityProvider, fetch: Fetch): Promise<Discovered>;
  /** Makes the next call fetch it again. */
  invalidate(provider: IdentityProvider): void;
}

export function makeDiscovery(clock: Pick<Clock, "monotonic">): Discovery {
  const cache = new LRUCache<string, Discovered & { readAt: number }>({ max: maxCachedProviders });
  const keyOf = ({ issuer }: IdentityProvider) => issuer ?? "";
  return {
    async find(provider, fetch) {
      const known = cache.get(keyOf(provider));
      if (known && clock.monotonic() - known.readAt < cacheMs) return known;
      const document = await readDocument(provider, fetch);
      const fresh = { document, keys: undefined, readAt: clock.monotonic() };
      cache.set(keyOf(provider), fresh);
      return fresh;
    },
    invalidate: (provider) => void cache.delete(keyOf(provider)),
  };
}
