/** Where somebody may sign in instead of with a password here. */
export interface IdentityProvider {
  /** Names it in addresses: `^[a-z0-9]+(-[a-z0-9]+)*$`, 1–40. */
  id: string;
  /** OpenID Connect by discovery, or GitHub's OAuth. */
  kind: "oidc" | "github";
  /** What the button says. */
  name: string;
  /** Of OpenID Connect; for GitHub another server's address than github.com, or null. */
  issuer: string | null;
  clientId: string;
  clientSecret: string;
}

/** Who vouches for the identities of a provider; empty where that was not set up. */
export function issuerOf({ kind, issuer }: IdentityProvider): string {
  return issuer ?? (kind === "github" ? "https://github.com" : "");
}

/** Whether two ways to write an issuer mean the same: a slash at the end is often left out. */
export function isSameIssuer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((issuer) => issuer.replace(/\/$/, ""));
  return first === second;
}

/** Where a provider sends people back to; never made of what a request says. */
export function callbackAddress(baseUrl: string, providerId: string): string {
  return new URL(`/api/account/oauth/${providerId}/callback`, baseUrl).href;
}
