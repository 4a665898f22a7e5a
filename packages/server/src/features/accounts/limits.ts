import { LRUCache } from "lru-cache";
import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import {
  type Allowance,
  type AttemptLimit,
  type OpenAttemptLimit,
  throttleHeaders,
} from "../../platform/throttle.ts";
import type { Visitor } from "./account.ts";

const minute = 60_000;
const hour = 60 * minute;

function tooManyRequests({ retryAfterMs, ...allowance }: Allowance): AppError {
  const minutes = Math.max(1, Math.ceil(retryAfterMs / minute));
  return new AppError("throttled", `Too many attempts. Try again in ${minutes} min.`, {
    headers: throttleHeaders({ ...allowance, retryAfterMs }),
  });
}

/** A counted attempt. */
export interface Reservation {
  /**
   * Takes back the attempt if it succeeded or wasn't evaluated. Never fails: if the database is
   * unavailable, the attempt stays counted.
   */
  refund(): Promise<void>;
}

const free: Reservation = { refund: async () => {} };

/** Counts in all limits or in none. Throws `throttled`. */
async function takeAll(takes: readonly (readonly [AttemptLimit, string])[]): Promise<Reservation> {
  for (const [limit, key] of takes) {
    const refusal = limit.refusal(key);
    if (refusal !== null) throw tooManyRequests(refusal);
  }
  const taken: (readonly [AttemptLimit, string])[] = [];
  const refund = async () => {
    for (const [limit, key] of taken) await limit.refund(key).catch(() => {});
  };
  for (const take of takes) {
    const [limit, key] = take;
    const allowance = await limit.take(key);
    if (!allowance.allowed) {
      await refund();
      throw tooManyRequests(allowance);
    }
    taken.push(take);
  }
  return { refund };
}

/** Limits sign-ups and everything else that sends email to an unconfirmed address. */
export interface EmailBudget {
  /** Counts known and unknown addresses alike. Throws `throttled`. */
  take(visitor: Visitor, email: string): Promise<Reservation>;
}

/**
 * Different addresses can lead to the same inbox: most servers ignore what follows a plus, some
 * also ignore dots.
 */
function inboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const [name = ""] = email.slice(0, at).split("+", 1);
  return `${name.replaceAll(".", "")}${email.slice(at)}`;
}

export function makeEmailBudget(
  openLimit: OpenAttemptLimit,
  limits: Limits["accounts"],
): EmailBudget {
  const windowMs = hour;
  const clients = openLimit({ name: "email client", limit: limits.emailsPerClient, windowMs });
  const addresses = openLimit({ name: "email", limit: limits.emailsPerAddress, windowMs });
  return {
    async take(visitor, email) {
      if (visitor.trusted) return free;
      return takeAll([
        [clients, visitor.bucket],
        [addresses, inboxOf(email)],
      ]);
    },
  };
}

/** Failed sign-ins. */
export interface SignInBudget {
  /**
   * Counts an attempt as a failure before its password is checked, so even a thousand concurrent
   * attempts get only ten checks. Throws `throttled`.
   */
  reserve(visitor: Visitor, email: string): Promise<Reservation>;
  /** The client has signed in with this address; others can no longer lock it out. */
  trustVisitor(visitor: Visitor, email: string): void;
  /** The owner of the address has proved that it is theirs. */
  reset(email: string): Promise<void>;
}

/**
 * Failures count for the client and for the address. A success takes back only its own attempt;
 * otherwise, a user could reset their client between guesses at other accounts. Because anybody can
 * use up an address's limit, it doesn't apply to clients from which its owner has signed in before.
 */
export function makeSignInBudget(
  openLimit: OpenAttemptLimit,
  limits: Limits["accounts"],
  hasSignedInFrom: (email: string, address: string) => Promise<boolean>,
): SignInBudget {
  const windowMs = limits.signInWindowMinutes * minute;
  const clients = openLimit({ name: "sign-in client", limit: limits.signInPerClient, windowMs });
  const addresses = openLimit({ name: "sign-in", limit: limits.signInPerAddress, windowMs });
  const familiar = new LRUCache<string, true>({ maxSize: 20_000, sizeCalculation: () => 1 });
  const pair = (visitor: Visitor, email: string) => `${visitor.bucket} ${email}`;

  async function isFamiliar(visitor: Visitor, email: string): Promise<boolean> {
    return familiar.has(pair(visitor, email)) || hasSignedInFrom(email, visitor.address);
  }

  return {
    async reserve(visitor, email) {
      if (visitor.trusted) return free;
      const client = [clients, visitor.bucket] as const;
      const used = !(await addresses.peek(email)).allowed;
      if (used && (await isFamiliar(visitor, email))) return takeAll([client]);
      return takeAll([client, [addresses, email]]);
    },
    trustVisitor(visitor, email) {
      familiar.set(pair(visitor, email), true);
    },
    reset: (email) => addresses.reset(email),
  };
}

/** Limits wrong passwords of signed-in users who have to confirm theirs. */
export interface ConfirmBudget {
  /** Throws `throttled`. */
  reserve(visitor: Visitor, userId: number): Promise<Reservation>;
}

/**
 * Counts per user regardless of the client, so that a stolen session can't be used to guess the
 * password.
 */
export function makeConfirmBudget(
  openLimit: OpenAttemptLimit,
  limits: Limits["accounts"],
): ConfirmBudget {
  const windowMs = limits.signInWindowMinutes * minute;
  const users = openLimit({ name: "confirm", limit: limits.signInPerAddress, windowMs });
  return {
    reserve: async (visitor, userId) =>
      visitor.trusted ? free : takeAll([[users, String(userId)]]),
  };
}
