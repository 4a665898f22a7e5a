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
   * Signs in who is linked with an identity, or somebody new whose address the provider has
   * confirmed. The session that the browser had ends. Throws ProviderProblem.
   */
  resolve(provider: IdentityProvider, identity: Identity, browser: Browser): Promise<SignedIn>;
}

/** Undoes a transaction that came too late. */
class ConcurrentSignUp extends Error {}

/** The address of somebody new; null for who is no longer. Throws ProviderProblem for whoever is none. */
async function checkNew(
  { db, canSignUp }: { db: Db; canSignUp(email: string): Promise<boolean> },
  identity: Identity,
): Promise<string | null> {
  const { email } = identity;
  if (email === null) throw new SignInError("email_not_verified");
  if (await findUserByEmail(db, email)) {
    // The same person may have begun this account a moment ago, in another browser.
    if (await findLink(db, identity)) return null;
    // That the provider has confirmed the address makes it theirs: they may know.
    throw new SignInError("email_already_registered");
  }
  if (!(await canSignUp(email))) throw new SignInError("joining_closed");
  return email;
}

/** Two who begin the same account at once: the later one finds what the former has made. */
const attempts = 2;

/**
 * Who an identity is here. Only issuer and subject find an account: an address that somebody has
 * signed up with may be another's, so it never links by itself.
 */
export function makeUserResolver(deps: {
  db: Db;
  clock: Pick<Clock, "now">;
  sessions: Pick<UserSessions, "start" | "end">;
  canSignUp(email: string): Promise<boolean>;
}): UserResolver {
  const { db, clock, sessions } = deps;

  /** Null when the link has gone meanwhile. */
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

  /** Null when somebody else has just taken the address or the link. */
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
