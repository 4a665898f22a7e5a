import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { randomToken, safeEqual, sha256Hex } from "../../../kit/hash.ts";
import { localPath } from "../../../kit/local-path.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Keyring } from "../../../platform/secrets.ts";
import { insertFlow, takeFlow } from "./flow-store.ts";
import { type Flow, flowLifetime, openFlow, sealFlow } from "./flow.ts";

/** Where the browser keeps the flow; uses the name and lifetime from flow.ts. */
export interface FlowCookie {
  read(header: string | undefined): string[];
  /** A Set-Cookie value. */
  issue(value: string): string;
  clear(): string;
}

/** Where a sign-in without a return path leads. */
const home = "/account";
/** Longer paths don't fit in the cookie. */
const maxReturnPathLength = 1000;

/** A path of this site; the account page for anything else. */
export function safeReturnPath(text: unknown): string {
  const path = localPath(text);
  return path !== null && path.length <= maxReturnPathLength ? path : home;
}

/** The value of a query parameter; empty if it is missing or repeated. */
function single(query: URLSearchParams, name: string): string {
  const values = query.getAll(name);
  return values.length === 1 ? (values[0] ?? "") : "";
}

const badState = "This sign-in wasn't started in this browser or has expired. Start it again.";

/** Sign-ins in progress: each is bound to one browser's cookie and valid for one callback. */
export interface Flows {
  create(of: { provider: string; returnTo: unknown; linkUser: number | null }): Flow;
  /** Stores a flow and returns the Set-Cookie value that binds it to the browser. */
  open(flow: Flow): Promise<string>;
  /**
   * Returns the flow for a returned state and uses it up. Throws `bad_token` if it is missing,
   * used, expired, or from a different provider or browser.
   */
  take(
    provider: string,
    back: { query: URLSearchParams; cookieHeader: string | undefined },
  ): Promise<Flow>;
}

export function makeFlows(deps: {
  db: Db;
  clock: Pick<Clock, "now">;
  keyring: Keyring;
  cookie: FlowCookie;
}): Flows {
  const { db, clock, keyring, cookie } = deps;
  return {
    create: ({ provider, returnTo, linkUser }) => ({
      provider,
      state: randomToken(),
      nonce: randomToken(),
      verifier: randomToken(),
      returnTo: safeReturnPath(returnTo),
      linkUser,
      startedAt: clock.now(),
    }),
    async open(flow) {
      await insertFlow(db, {
        state_hash: sha256Hex(flow.state),
        provider: flow.provider,
        created_at: isoTime(flow.startedAt),
        expires_at: isoTime(flow.startedAt + flowLifetime),
      });
      return cookie.issue(sealFlow(keyring, flow));
    },
    async take(provider, { query, cookieHeader }) {
      const state = single(query, "state");
      const now = clock.now();
      const flow = cookie
        .read(cookieHeader)
        .map((value) => openFlow(keyring, value, now))
        .find((one) => one?.provider === provider && safeEqual(one.state, state));
      const which = { stateHash: sha256Hex(state), provider, now: isoTime(now) };
      if (flow && (await takeFlow(db, which))) return flow;
      throw new AppError("bad_token", badState);
    },
  };
}
