import { LRUCache } from "lru-cache";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import {
  type Allowance,
  makeThrottle,
  type Throttle,
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

/** A take that was allowed. */
export interface Reservation {
  /** For what succeeded, or was not looked at in the end. */
  refund(): void;
}

const free: Reservation = { refund: () => {} };

/** Takes from all of them, or from none. Throws `throttled`. */
function takeAll(takes: readonly (readonly [Throttle, string])[]): Reservation {
  const taken: (readonly [Throttle, string])[] = [];
  const refund = () => {
    for (const [throttle, key] of taken) throttle.refund(key);
  };
  for (const take of takes) {
    const [throttle, key] = take;
    const allowance = throttle.take(key);
    if (!allowance.allowed) {
      refund();
      throw tooManyRequests(allowance);
    }
    taken.push(take);
  }
  return { refund };
}

/** Sign-ups, and what else sends a mail to an address that somebody only says is theirs. */
export interface EmailBudget {
  /** Counts the same whether the address is known or not. Throws `throttled`. */
  take(visitor: Visitor, email: string): Reservation;
}

/** One inbox has many addresses: most servers leave out what follows a plus, some also dots. */
function inboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const [name = ""] = email.slice(0, at).split("+", 1);
  return `${name.replaceAll(".", "")}${email.slice(at)}`;
}

export function makeEmailBudget(clock: Clock, limits: Limits["accounts"]): EmailBudget {
  const clients = makeThrottle({ clock, limit: limits.emailsPerClient, windowMs: hour });
  const addresses = makeThrottle({ clock, limit: limits.emailsPerAddress, windowMs: hour });
  return {
    take(visitor, email) {
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
   * Books an attempt as a failure before its password is checked, so a thousand at once get no
   * further than ten in a row. Throws `throttled`.
   */
  reserve(visitor: Visitor, email: string): Promise<Reservation>;
  /** The visitor has signed in with this address: strangers can't lock them out of it from now on. */
  trustVisitor(visitor: Visitor, email: string): void;
  /** The owner of an address has shown that it is theirs. */
  reset(email: string): void;
}

/**
 * Failures count for the client and for the address. A success gives back its own take only: whoever
 * has an account could otherwise free their client between guesses at others'. Anybody can use up
 * an address's budget, so it does not bind the clients from which its owner has signed in before.
 */
export function makeSignInBudget(
  clock: Clock,
  limits: Limits["accounts"],
  hasSignedInFrom: (email: string, address: string) => Promise<boolean>,
): SignInBudget {
  const windowMs = limits.signInWindowMinutes * minute;
  const clients = makeThrottle({ clock, limit: limits.signInPerClient, windowMs });
  const addresses = makeThrottle({ clock, limit: limits.signInPerAddress, windowMs });
  const familiar = new LRUCache<string, true>({ max: 20_000 });
  const pair = (visitor: Visitor, email: string) => `${visitor.bucket} ${email}`;

  async function isFamiliar(visitor: Visitor, email: string): Promise<boolean> {
    return familiar.has(pair(visitor, email)) || hasSignedInFrom(email, visitor.address);
  }

  return {
    async reserve(visitor, email) {
      if (visitor.trusted) return free;
      const client = [clients, visitor.bucket] as const;
      const used = !addresses.peek(email).allowed;
      if (used && (await isFamiliar(visitor, email))) return takeAll([client]);
      return takeAll([client, [addresses, email]]);
    },
    trustVisitor(visitor, email) {
      familiar.set(pair(visitor, email), true);
    },
    reset: (email) => addresses.reset(email),
  };
}

/** Wrong passwords of somebody who is signed in and has to say theirs again. */
export interface ConfirmBudget {
  /** Throws `throttled`. */
  reserve(visitor: Visitor, userId: number): Reservation;
}

/** For the user, wherever they are: a stolen browser is no place to guess the password from. */
export function makeConfirmBudget(clock: Clock, limits: Limits["accounts"]): ConfirmBudget {
  const windowMs = limits.signInWindowMinutes * minute;
  const users = makeThrottle({ clock, limit: limits.signInPerAddress, windowMs });
  return {
    reserve: (visitor, userId) => (visitor.trusted ? free : takeAll([[users, String(userId)]])),
  };
}
