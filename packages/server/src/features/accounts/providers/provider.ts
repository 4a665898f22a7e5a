/** An identity provider that users can sign in with. */
export interface IdentityProvider {
  /** Its ID in addresses: `^[a-z0-9]+(-[a-z0-9]+)*$`, 1–40 characters. */
  id: string;
  /** OpenID Connect with discovery, or GitHub's OAuth. */
  kind: "oidc" | "github";
  /** Its name on the button. */
  name: string;
  /** The OpenID Connect issuer; for GitHub, a server other than github.com, or null. */
  issuer: string | null;
  clientId: string;
  clientSecret: string;
}

/** The issuer of a provider's identities; empty if it isn't configured. */
export function issuerOf({ kind, issuer }: IdentityProvider): string {
  return issuer ?? (kind === "github" ? "https://github.com" : "");
}

/** Whether two issuers are the same except for a trailing slash. */
export function isSameIssuer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((issuer) => issuer.replace(/\/$/, ""));
  return first === second;
}

/** The callback address of a provider; never derived from a request. */
export function callbackAddress(baseUrl: string, providerId: string): string {
  return new URL(`/api/account/oauth/${providerId}/callback`, baseUrl).href;
}
