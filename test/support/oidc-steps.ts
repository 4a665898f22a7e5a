import type { IdentityProvider } from "../../packages/server/src/features/accounts/providers/provider.ts";
import type { TestBrowser } from "./oidc-browser.ts";
import { siteUrl } from "./oidc-site.ts";
import type { TestOidc } from "./oidc.ts";

/** Where sign-in by the provider `test` begins. */
export const startSignIn = "/api/account/oauth/test";

/** A real provider as the site has it set up. */
export function providerOf(from: TestOidc, id = "test"): IdentityProvider {
  const { issuer, clientId, clientSecret } = from;
  return { id, kind: "oidc", name: "Test ID", issuer, clientId, clientSecret };
}

/** Whether a browser has come to a page of the site. */
export const ended = (url: URL): boolean =>
  url.origin === siteUrl && !url.pathname.startsWith("/api/");

/** Signs in at the provider to the end, and gives where that leads. */
export async function signIn(browser: TestBrowser, query = ""): Promise<string> {
  const { url } = await browser.open(`${startSignIn}${query}`, { stopAt: ended });
  return url.href.slice(siteUrl.length);
}

/** The same up to the return, which is not asked. */
export async function returnFromProvider(
  browser: TestBrowser,
  address = startSignIn,
): Promise<URL> {
  const stopAt = (url: URL) => url.pathname.endsWith("/callback");
  return (await browser.open(address, { stopAt })).url;
}

/** Links the provider with the account of who is signed in, and gives where that leads. */
export async function link(browser: TestBrowser): Promise<string> {
  const response = await browser.post(`${startSignIn}/link`, { returnTo: "/account?done=linked" });
  const { location } = response.body.data as { location: string };
  const { url } = await browser.open(location, { stopAt: ended });
  return url.href.slice(siteUrl.length);
}
