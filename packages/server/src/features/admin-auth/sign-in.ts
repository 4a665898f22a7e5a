import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Allowance, type OpenAttemptLimit, openLocalLimits } from "../../platform/throttle.ts";
import { makeAttemptLog } from "./attempts.ts";
import type { Hasher } from "./hasher.ts";
import { isLinkToken, linkTokenDigest, normalPassword } from "./credentials.ts";
import type { NewSession, Sessions } from "./sessions.ts";
import { type Account, listSignInAddresses, readAccount } from "./store.ts";

/** An attempt to sign in. */
export interface Attempt {
  method: "password" | "link";
  /** The password or the link's token. */
  secret: string;
  /** Canonical address, for the log. */
  ip: string;
  /** The key under which limits count. */
  bucket: string;
  /** Never throttled. */
  trusted: boolean;
  userAgent: string;
}

type Refused = { outcome: "failure" } | { outcome: "throttled"; allowance: Allowance };

export type AttemptResult = { outcome: "success"; signedIn: NewSession } | Refused;

export interface SignIn {
  /**
   * Checks a password or a link's token and starts a session. Adds exactly one row to the admin
   * log. Throws `unavailable` if too many are being checked.
   */
  attempt(attempt: Attempt): Promise<AttemptResult>;
  /**
   * Checks the password of a signed-in admin within the same limits, without starting a session. A
   * failure is logged like a failed sign-in.
   */
  confirmPassword(attempt: Attempt): Promise<{ outcome: "success" } | Refused>;
}

const everybody = "all";
const maxUserAgent = 300;

/** The start of a user agent, without control characters. */
function cleanUserAgent(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, " ").normalize("NFC");
  return Array.from(clean).slice(0, maxUserAgent).join("");
}

/** An attempt that counts as a failure. */
interface Booking {
  /** It succeeded: the client's failures are forgotten. */
  forgive(): Promise<void>;
  /** It wasn't checked. */
  unbook(): Promise<void>;
}

/**
 * Password and link failures count together: `perClient` for one client and `total` for all clients
 * per window. An attempt counts as a failure before its secret is checked and is taken back if it
 * was right, so even a thousand concurrent attempts get only five checks. Because anybody can use
 * up the limit of all clients, it doesn't apply to those from which the admin has signed in before.
 */
function makeFailureBudget(
  openLimit: OpenAttemptLimit,
  limits: Limits["adminSignIn"],
  isFamiliar: (bucket: string) => Promise<boolean>,
) {
  const windowMs = limits.windowMinutes * 60_000;
  const clients = openLimit({ name: "admin client", limit: limits.perClient, windowMs });
  const all = openLimit({ name: "admin", limit: limits.total, windowMs });

  function bookingOf(bucket: string, isInTotal: boolean): Booking {
    const refundTotal = async () => {
      if (isInTotal) await all.refund(everybody);
    };
    return {
      async forgive() {
        await clients.reset(bucket);
        await refundTotal();
      },
      async unbook() {
        await clients.refund(bucket);
        await refundTotal();
      },
    };
  }

  return {
    /** `guess` is false for what can't be the secret anyway. */
    async book(bucket: string, guess: boolean): Promise<Booking | { refusal: Allowance }> {
      const known = clients.refusal(bucket);
      if (known !== null) return { refusal: known };
      const knownTotal = guess ? all.refusal(everybody) : null;
      if (knownTotal !== null && !(await isFamiliar(bucket))) return { refusal: knownTotal };
      const client = await clients.take(bucket);
      if (!client.allowed) return { refusal: client };
      if (!guess || knownTotal !== null) return bookingOf(bucket, false);
      const total = await all.take(everybody);
      if (total.allowed || (await isFamiliar(bucket))) return bookingOf(bucket, total.allowed);
      await clients.refund(bucket);
      return { refusal: total };
    },
  };
}

/**
 * Checks a secret within the limits and logs one row if it is wrong. `check` returns null for a
 * wrong one.
 */
function makeLimitedCheck(options: Omit<SignInOptions, "sessions" | "hasher">) {
  const { db, clock, limits, bucketOf, openLimit = openLocalLimits(clock) } = options;
  const isFamiliar = async (bucket: string) =>
    (await listSignInAddresses(db)).some((ip) => bucketOf(ip) === bucket);
  const budget = makeFailureBudget(openLimit, limits, isFamiliar);
  const log = makeAttemptLog(db);

  async function record(attempt: Attempt, outcome: "failure" | "throttled"): Promise<void> {
    const { method, ip, userAgent } = attempt;
    await log.append({ at: isoTime(clock.now()), method, outcome, ip, user_agent: userAgent });
  }

  return async <T>(
    given: Attempt,
    check: (attempt: Attempt) => Promise<T | null>,
  ): Promise<{ outcome: "success"; result: T } | Refused> => {
    const attempt = { ...given, userAgent: cleanUserAgent(given.userAgent) };
    const guess = attempt.method === "password" || isLinkToken(attempt.secret);
    const booking = attempt.trusted ? null : await budget.book(attempt.bucket, guess);
    if (booking !== null && "refusal" in booking) {
      await record(attempt, "throttled");
      return { outcome: "throttled", allowance: booking.refusal };
    }
    let result: T | null;
    try {
      result = guess ? await check(attempt) : null;
    } catch (error) {
      await booking?.unbook();
      await record(attempt, "throttled");
      throw error;
    }
    if (result === null) {
      await record(attempt, "failure");
      return { outcome: "failure" };
    }
    await booking?.forgive();
    return { outcome: "success", result };
  };
}

interface SignInOptions {
  db: Db;
  clock: Clock;
  sessions: Sessions;
  hasher: Hasher;
  limits: Limits["adminSignIn"];
  /** The key under which limits count a logged address. */
  bucketOf(address: string): string;
  /** Where failures are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit | undefined;
}

/** Signs the admin in with the password or the secret link, within the limits. */
export function makeSignIn(options: SignInOptions): SignIn {
  const { db, sessions, hasher } = options;
  const limited = makeLimitedCheck(options);

  async function matches({ method, secret }: Attempt, account: Account): Promise<boolean> {
    return method === "password"
      ? hasher.verify(normalPassword(secret), account.password_hash)
      : hasher.verify(linkTokenDigest(secret), account.token_hash);
  }

  /** Compares the secret and starts the session; null if it is wrong. */
  async function startSession(attempt: Attempt): Promise<NewSession | null> {
    const { method, ip, userAgent } = attempt;
    const account = await readAccount(db);
    if (!(await matches(attempt, account))) return null;
    return sessions.start({ accountVersion: account.version, method, ip, userAgent });
  }

  return {
    async attempt(given) {
      const checked = await limited(given, startSession);
      if (checked.outcome !== "success") return checked;
      return { outcome: "success", signedIn: checked.result };
    },
    async confirmPassword(given) {
      const checked = await limited(given, async (attempt) =>
        (await matches(attempt, await readAccount(db))) ? true : null,
      );
      return checked.outcome === "success" ? { outcome: "success" } : checked;
    },
  };
}
