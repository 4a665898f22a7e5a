import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Outbox } from "../../../platform/mailer/outgoing-email.ts";
import type { Keyring } from "../../../platform/secrets.ts";
import type { SignedIn, SignedInUser, Visitor } from "../account.ts";
import { requireFreshSignIn } from "../confirm-password.ts";
import type { UserSessions } from "../sessions.ts";
import { makeUserResolver } from "./resolve-user.ts";
import { makeDiscovery } from "./discovery.ts";
import type { Flow } from "./flow.ts";
import { type FlowCookie, makeFlows } from "./flows.ts";
import { github } from "./github.ts";
import type { Identity, Protocol } from "./identity.ts";
import { type LinkedAccount, makeLinks } from "./links.ts";
import { makeOidc } from "./oidc.ts";
import { type Fetch, makeOutboundClient } from "./outbound.ts";
import { SignInError } from "./sign-in-error.ts";
import { callbackAddress, type IdentityProvider } from "./provider.ts";

export interface ProviderSignInDependencies {
  db: Db;
  clock: Clock;
  keyring: Keyring;
  baseUrl: string;
  cookie: FlowCookie;
  /** Enabled providers in their configured order. */
  providers(): Promise<IdentityProvider[]>;
  sessions: Pick<UserSessions, "start" | "end" | "now">;
  outbox: Outbox;
  /** Whether a new user with this address may have an account. */
  canSignUp(email: string): Promise<boolean>;
  siteName: string;
  /** By default, Node's fetch. */
  fetch?: Fetch;
  /** Time limit of one exchange with a provider, ms. */
  limitMs?: number;
}

/** The result of a successful callback. */
export type Finished =
  | { kind: "signedIn"; signedIn: SignedIn; returnTo: string }
  | { kind: "linked"; returnTo: string };

/** A callback from a provider. */
export interface CallbackRequest {
  /** The callback's unchanged query. */
  query: URLSearchParams;
  cookieHeader: string | undefined;
  visitor: Visitor;
  current: SignedInUser | null;
}

export interface ProviderSignIn {
  /** Providers that can be used to sign in. */
  list(): Promise<{ id: string; name: string; kind: IdentityProvider["kind"] }[]>;
  /**
   * Starts a sign-in, or links `linkUser`: returns the address to redirect to and the Set-Cookie
   * value that binds the flow to the browser. A `returnTo` that isn't a path of this site becomes
   * /account. Links survive password changes, so linking needs a sign-in within the last ten
   * minutes. Throws `forbidden`, `not_found`, `upstream_failed`, `unavailable`.
   */
  start(
    providerId: string,
    options: { returnTo: unknown; linkUser: SignedInUser | null },
  ): Promise<{ location: string; cookie: string }>;
  /**
   * Completes a flow. Throws `bad_token` for a state that is missing, used, expired, or from a
   * different browser; SignInError; `upstream_failed`, `unavailable`, `not_found`.
   */
  finish(providerId: string, back: CallbackRequest): Promise<Finished>;
  linked(userId: number): Promise<LinkedAccount[]>;
  /** Throws `not_found`, and `conflict` if no way to sign in would remain. */
  unlink(who: SignedInUser, providerId: string): Promise<void>;
  readonly cookie: FlowCookie;
}

/** Error codes for users who cancelled at the provider (OpenID Connect Core 1.0, 3.1.2.6). */
const declined = new Set([
  "access_denied",
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
]);

function refuseError(provider: IdentityProvider, query: URLSearchParams): void {
  const error = query.get("error");
  if (error === null) return;
  if (declined.has(error)) throw new SignInError("cancelled");
  throw new AppError("upstream_failed", `${provider.name} refused the sign-in.`, {
    cause: new Error(`error ${error.slice(0, 100)}`),
  });
}

/** Requests to providers, in their protocols and within limits. */
function makeProviderClient(
  deps: Pick<ProviderSignInDependencies, "clock" | "baseUrl" | "fetch" | "limitMs">,
) {
  const { clock, baseUrl } = deps;
  const outbound = makeOutboundClient(deps);
  const protocols: Record<IdentityProvider["kind"], Protocol> = {
    oidc: makeOidc({ discovery: makeDiscovery(clock), clock }),
    github,
  };
  return {
    authorizationUrl(provider: IdentityProvider, flow: Flow): Promise<URL> {
      const redirectUri = callbackAddress(baseUrl, provider.id);
      return outbound.send(provider.name, (fetch) =>
        protocols[provider.kind].authorizationUrl({ provider, flow, redirectUri, fetch }),
      );
    },
    identify(provider: IdentityProvider, flow: Flow, query: URLSearchParams): Promise<Identity> {
      const redirectUri = callbackAddress(baseUrl, provider.id);
      const callback = new URL(`${redirectUri}?${query.toString()}`);
      return outbound.send(provider.name, (fetch) =>
        protocols[provider.kind].identify({ provider, flow, redirectUri, fetch }, callback),
      );
    },
  };
}

/** Sign-in with identity providers, by identity and never by address alone. */
export function makeProviderSignIn(deps: ProviderSignInDependencies): ProviderSignIn {
  const { cookie, providers } = deps;
  const flows = makeFlows(deps);
  const links = makeLinks(deps);
  const userResolver = makeUserResolver(deps);
  const conversations = makeProviderClient(deps);

  async function find(id: string): Promise<IdentityProvider> {
    const provider = (await providers()).find((one) => one.id === id);
    if (provider) return provider;
    throw new AppError("not_found", "This sign-in provider isn't set up here.");
  }

  return {
    list: async () => (await providers()).map(({ id, name, kind }) => ({ id, name, kind })),

    async start(providerId, { returnTo, linkUser }) {
      const provider = await find(providerId);
      if (linkUser) requireFreshSignIn(linkUser.session, deps.sessions.now());
      const linkId = linkUser?.user.id ?? null;
      const flow = flows.create({ provider: provider.id, returnTo, linkUser: linkId });
      const { href } = await conversations.authorizationUrl(provider, flow);
      return { location: href, cookie: await flows.open(flow) };
    },

    async finish(providerId, back) {
      const { query, visitor, current } = back;
      const provider = await find(providerId);
      const flow = await flows.take(provider.id, back);
      const { linkUser, returnTo } = flow;
      if (linkUser !== null && current?.user.id !== linkUser) throw new SignInError("signed_out");
      refuseError(provider, query);
      const identity = await conversations.identify(provider, flow, query);
      if (linkUser === null) {
        const signedIn = await userResolver.resolve(provider, identity, { visitor, current });
        return { kind: "signedIn", signedIn, returnTo };
      }
      if (identity.email === null) throw new SignInError("email_not_verified");
      await links.add(linkUser, provider, identity);
      return { kind: "linked", returnTo };
    },

    linked: links.list,
    unlink: (who, providerId) => links.remove(who.user.id, providerId),
    cookie,
  };
}
