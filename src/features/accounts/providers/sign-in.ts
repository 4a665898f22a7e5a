import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { randomToken, safeEqual, sha256Hex } from "../../../kit/hash.ts";
import { localPath } from "../../../kit/local-path.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Outbox } from "../../../platform/mailer/outgoing.ts";
import type { Keyring } from "../../../platform/secrets.ts";
import type { SignedIn, SignedInUser, Visitor } from "../account.ts";
import type { UserSessions } from "../sessions.ts";
import { makeAdmission } from "./admission.ts";
import { makeDiscovery } from "./discovery.ts";
import { insertFlow, takeFlow } from "./flow-store.ts";
import { type Flow, flowLifetime, openFlow, sealFlow } from "./flow.ts";
import { github } from "./github.ts";
import type { Identity, Protocol } from "./identity.ts";
import { type LinkedAccount, makeLinks } from "./links.ts";
import { makeOidc } from "./oidc.ts";
import { type Fetch, makeOutbound } from "./outbound.ts";
import { ProviderProblem } from "./problems.ts";
import { callbackAddress, type IdentityProvider } from "./provider.ts";

/** Where the browser keeps what it carries; that of flow.ts by its name and lifetime. */
export interface FlowCookie {
  read(header: string | undefined): string[];
  /** A Set-Cookie value. */
  issue(value: string): string;
  clear(): string;
}

export interface ProviderSignInDeps {
  db: Db;
  clock: Clock;
  keyring: Keyring;
  baseUrl: string;
  cookie: FlowCookie;
  /** Those that are set up and on, in their order. */
  providers(): Promise<IdentityProvider[]>;
  sessions: Pick<UserSessions, "start" | "end">;
  outbox: Outbox;
  /** Whether somebody new with this address may have an account. */
  mayJoin(email: string): Promise<boolean>;
  siteName: string;
  /** Node's unless told. */
  fetch?: Fetch;
  /** What one conversation with a provider may take, ms. */
  limitMs?: number;
}

/** How a return from a provider ended well. */
export type Finished =
  | { kind: "signedIn"; signedIn: SignedIn; returnTo: string }
  | { kind: "linked"; returnTo: string };

/** Somebody who has come back. */
export interface Return {
  /** The callback's query, as it came. */
  query: URLSearchParams;
  cookieHeader: string | undefined;
  visitor: Visitor;
  current: SignedInUser | null;
}

export interface ProviderSignIn {
  /** What can be signed in with. */
  list(): Promise<{ id: string; name: string; kind: IdentityProvider["kind"] }[]>;
  /**
   * Begins a sign-in, or the linking of `linkUser`: where the browser is to go, and the Set-Cookie
   * value that binds what follows to it. Throws `not_found`, `upstream_failed`, `unavailable`.
   */
  begin(
    providerId: string,
    options: { returnTo: unknown; linkUser: SignedInUser | null },
  ): Promise<{ location: string; cookie: string }>;
  /**
   * Ends it. Throws `bad_token` for a state that is missing, of another browser, used or expired;
   * ProviderProblem; `upstream_failed`, `unavailable`, `not_found`.
   */
  finish(providerId: string, back: Return): Promise<Finished>;
  linked(userId: number): Promise<LinkedAccount[]>;
  /** Throws `not_found`, and `conflict` where nothing would be left to sign in with. */
  unlink(who: SignedInUser, providerId: string): Promise<void>;
  readonly cookie: FlowCookie;
}

/** Where a sign-in leads that names no place. */
const home = "/account";
/** What a cookie has room for. */
const longestReturn = 1000;

/** A place of this site; the account page for anything else. */
export function placeToReturnTo(text: unknown): string {
  const path = localPath(text);
  return path !== null && path.length <= longestReturn ? path : home;
}

/** One value of a name that may be there once; null for none or several. */
function single(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  return values.length === 1 ? (values[0] ?? null) : null;
}

const badState = "This sign-in was not begun in this browser, or is over already. Begin it again.";

/** Sign-in by identity providers: by who somebody is there, never by an address alone. */
export function makeProviderSignIn(deps: ProviderSignInDeps): ProviderSignIn {
  const { db, clock, keyring, baseUrl, cookie, providers } = deps;
  const outbound = makeOutbound(deps);
  const links = makeLinks(deps);
  const admission = makeAdmission(deps);
  const protocols: Record<IdentityProvider["kind"], Protocol> = {
    oidc: makeOidc({ discovery: makeDiscovery(clock), clock }),
    github,
  };

  async function find(id: string): Promise<IdentityProvider> {
    const provider = (await providers()).find((one) => one.id === id);
    if (provider) return provider;
    throw new AppError("not_found", "Nobody signs in here by such a provider.");
  }

  /** What this browser carries for the state that came back; both are used up by it. */
  async function takeReturn(providerId: string, { query, cookieHeader }: Return): Promise<Flow> {
    const state = single(query, "state") ?? "";
    const flow = cookie
      .read(cookieHeader)
      .map((value) => openFlow(keyring, value, clock.now()))
      .find((one) => one?.provider === providerId && safeEqual(one.state, state));
    const which = { stateHash: sha256Hex(state), provider: providerId, now: isoTime(clock.now()) };
    if (flow && (await takeFlow(db, which))) return flow;
    throw new AppError("bad_token", badState);
  }

  function converse(provider: IdentityProvider, flow: Flow, callback: URL): Promise<Identity> {
    const redirectUri = callbackAddress(baseUrl, provider.id);
    return outbound.converse(provider.name, (fetch) =>
      protocols[provider.kind].identify({ provider, flow, redirectUri, fetch }, callback),
    );
  }

  async function begin(
    providerId: string,
    { returnTo, linkUser }: { returnTo: unknown; linkUser: SignedInUser | null },
  ) {
    const provider = await find(providerId);
    const now = clock.now();
    const flow: Flow = {
      provider: provider.id,
      state: randomToken(),
      nonce: randomToken(),
      verifier: randomToken(),
      returnTo: placeToReturnTo(returnTo),
      linkUser: linkUser?.user.id ?? null,
      begunAt: now,
    };
    const redirectUri = callbackAddress(baseUrl, provider.id);
    const location = await outbound.converse(provider.name, (fetch) =>
      protocols[provider.kind].authorizationUrl({ provider, flow, redirectUri, fetch }),
    );
    await insertFlow(db, {
      state_hash: sha256Hex(flow.state),
      provider: provider.id,
      created_at: isoTime(now),
      expires_at: isoTime(now + flowLifetime),
    });
    return { location: location.href, cookie: cookie.issue(sealFlow(keyring, flow)) };
  }

  async function finish(providerId: string, back: Return): Promise<Finished> {
    const provider = await find(providerId);
    const flow = await takeReturn(provider.id, back);
    const { query, visitor, current } = back;
    if (flow.linkUser !== null && current?.user.id !== flow.linkUser) {
      throw new ProviderProblem("signed_out");
    }
    refuseError(provider, query);
    const callback = new URL(`${callbackAddress(baseUrl, provider.id)}?${query.toString()}`);
    const identity = await converse(provider, flow, callback);
    const { returnTo } = flow;
    if (flow.linkUser === null) {
      const signedIn = await admission.admit(provider, identity, { visitor, current });
      return { kind: "signedIn", signedIn, returnTo };
    }
    if (identity.email === null) throw new ProviderProblem("address_not_verified");
    await links.add(flow.linkUser, provider, identity);
    return { kind: "linked", returnTo };
  }

  return {
    list: async () => (await providers()).map(({ id, name, kind }) => ({ id, name, kind })),
    begin,
    finish,
    linked: links.of,
    unlink: (who, providerId) => links.remove(who.user.id, providerId),
    cookie,
  };
}

/** What a provider says when the person did not go on there (OpenID Connect Core 1.0, 3.1.2.6). */
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
  if (declined.has(error)) throw new ProviderProblem("cancelled");
  throw new AppError("upstream_failed", `${provider.name} refused the sign-in.`, {
    cause: new Error(`error ${error.slice(0, 100)}`),
  });
}
