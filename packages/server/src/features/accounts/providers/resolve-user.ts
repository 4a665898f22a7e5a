import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SignedIn, SignedInUser, Visitor } from "../account.ts";
import type { UserSessions } from "../sessions.ts";
import { findUserByEmail, insertUser } from "../store.ts";
import type { Identity } from "./identity.ts";
import { findLink, insertLink, type LinkRow, touchLink } from "./link-store.ts";
import { linkRow } from "./links.ts";
import { SignInError } from "./sign-in-error.ts";
import type { IdentityProvider } from "./provider.ts";

interface Browser {
  visitor: Visitor;
  current: SignedInUser | null;
}

export interface UserResolver {
  /**
   * Signs in the linked user, or creates a user whose address the provider has confirmed. The
   * browser's previous session ends. Throws SignInError.
   */
  resolve(provider: IdentityProvider, identity: Identity, browser: Browser): Promise<SignedIn>;
}

/** Rolls back a transaction that lost a race. */
class ConcurrentSignUp extends Error {}

/**
 * The address of a new user; null if it has an account by now. Throws SignInError if the user
 * can't be created.
 */
async function checkNew(
  { db, canSignUp }: { db: Db; canSignUp(email: string): Promise<boolean> },
  identity: Identity,
): Promise<string | null> {
  const { email } = identity;
  if (email === null) throw new SignInError("email_not_verified");
  if (await findUserByEmail(db, email)) {
    // The same person may have created this account a moment ago in another browser.
    if (await findLink(db, identity)) return null;
    // The provider has confirmed that the address is theirs, so it is safe to tell them.
    throw new SignInError("email_already_registered");
  }
  if (!(await canSignUp(email))) throw new SignInError("joining_closed");
  return email;
}

/** If two requests create the same account at once, the second one finds it on its next attempt. */
const attempts = 2;

/**
 * Finds the user of an identity by issuer and subject only. An address is never linked
 * automatically, because somebody else may have signed up with it.
 */
export function makeUserResolver(deps: {
  db: Db;
  clock: Pick<Clock, "now">;
  sessions: Pick<UserSessions, "start" | "end">;
  canSignUp(email: string): Promise<boolean>;
}): UserResolver {
  const { db, clock, sessions } = deps;

  /** Null if the link is gone by now. */
  async function signIn(
    provider: IdentityProvider,
    link: LinkRow,
    { visitor, current }: Browser,
  ): Promise<SignedIn | null> {
    if (current && current.user.id !== link.user_id) throw new SignInError("signed_in");
    const signedIn = await db.transaction().execute(async (trx) => {
      const used = { provider: provider.id, at: isoTime(clock.now()) };
      if (!(await touchLink(trx, link.id, used))) return null;
      return sessions.start(trx, link.user_id, { method: provider.id, visitor });
    });
    if (signedIn && current) await sessions.end(current.session.idHash);
    return signedIn;
  }

  /** Null if somebody else has just taken the address or the link. */
  async function join(
    provider: IdentityProvider,
    identity: Identity,
    { visitor, current }: Browser,
  ): Promise<SignedIn | null> {
    if (current) throw new SignInError("signed_in");
    const email = await checkNew(deps, identity);
    if (email === null) return null;
    const now = isoTime(clock.now());
    const user = { email, name: identity.name, passwordHash: null, verifiedAt: now, now };
    return db
      .transaction()
      .execute(async (trx) => {
        const userId = await insertUser(trx, user);
        if (userId === null) return null;
        const written = await insertLink(trx, linkRow(userId, provider, identity, now));
        if (!written) throw new ConcurrentSignUp();
        return sessions.start(trx, userId, { method: provider.id, visitor });
      })
      .catch((error: unknown) => {
        if (error instanceof ConcurrentSignUp) return null;
        throw error;
      });
  }

  return {
    async resolve(provider, identity, browser) {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const link = await findLink(db, identity);
        const signedIn = link
          ? await signIn(provider, link, browser)
          : await join(provider, identity, browser);
        if (signedIn) return signedIn;
      }
      throw new SignInError("email_already_registered");
    },
  };
}
