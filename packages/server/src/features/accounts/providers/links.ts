import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Outbox } from "../../../platform/mailer/outgoing-email.ts";
import type { Identity } from "./identity.ts";
import {
  deleteLinksWith,
  findLink,
  lockUser,
  insertLink,
  type LinkRow,
  listUserLinks,
  touchLink,
} from "./link-store.ts";
import { linkChangedEmail } from "./link-changed-email.ts";
import { SignInError } from "./sign-in-error.ts";
import { type IdentityProvider, isSameIssuer, issuerOf } from "./provider.ts";

/** A linked account at a provider. Times are ISO 8601. */
export interface LinkedAccount {
  /** The provider's ID. */
  provider: string;
  /** The provider's name on the button; its ID if it is no longer configured. */
  name: string;
  /** The address from the time of linking; may be empty. */
  email: string;
  linkedAt: string;
  lastUsedAt: string | null;
  /** Whether it can be used to sign in: its provider is configured. */
  usable: boolean;
}

export interface Links {
  list(userId: number): Promise<LinkedAccount[]>;
  /**
   * Links an account at a provider to a user; no-op if it is linked already. Throws
   * SignInError.
   */
  add(userId: number, provider: IdentityProvider, identity: Identity): Promise<void>;
  /** Throws `not_found`, and `conflict` if no way to sign in would remain. */
  remove(userId: number, providerId: string): Promise<void>;
}

/** The row of a new link, which counts as used when it is created. */
export function linkRow(
  userId: number,
  provider: IdentityProvider,
  identity: Identity,
  now: string,
): Omit<LinkRow, "id"> {
  return {
    user_id: userId,
    provider: provider.id,
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email ?? "",
    created_at: now,
    last_used_at: now,
  };
}

const onlySignInMethod =
  "This is the only way to sign in to your account. Choose a password first, or link another provider.";

/** Linked accounts. Every change sends a notice, enqueued in the same transaction. */
export function makeLinks(deps: {
  db: Db;
  clock: Pick<Clock, "now">;
  outbox: Outbox;
  providers(): Promise<IdentityProvider[]>;
  siteName: string;
}): Links {
  const { db, clock, outbox, providers } = deps;

  async function add(userId: number, provider: IdentityProvider, identity: Identity) {
    const now = isoTime(clock.now());
    await db.transaction().execute(async (trx) => {
      const user = await lockUser(trx, userId);
      if (!user) throw new SignInError("signed_out");
      const existing = await findLink(trx, identity);
      if (existing && existing.user_id !== userId) throw new SignInError("link_taken");
      if (existing)
        return void (await touchLink(trx, existing.id, { provider: provider.id, at: now }));
      const others = await listUserLinks(trx, userId);
      if (others.some((link) => link.provider === provider.id)) {
        throw new SignInError("already_linked");
      }
      const written = await insertLink(trx, linkRow(userId, provider, identity, now));
      if (!written) throw new SignInError("link_taken");
      const what = { kind: "linked", provider: provider.name, site: deps.siteName } as const;
      await outbox.enqueue(trx, linkChangedEmail(user.email, what));
    });
    outbox.wake();
  }

  async function remove(userId: number, providerId: string) {
    const setUp = await providers();
    await db.transaction().execute(async (trx) => {
      const user = await lockUser(trx, userId);
      const removed = user ? await deleteLinksWith(trx, userId, providerId) : 0;
      if (!user || removed === 0)
        throw new AppError("not_found", "This provider isn't linked with your account.");
      const left = (await listUserLinks(trx, userId)).filter((link) => isUsable(link, setUp));
      if (!user.hasPassword && left.length === 0) {
        throw new AppError("conflict", onlySignInMethod);
      }
      const name = setUp.find(({ id }) => id === providerId)?.name ?? providerId;
      const what = { kind: "unlinked", provider: name, site: deps.siteName } as const;
      await outbox.enqueue(trx, linkChangedEmail(user.email, what));
    });
    outbox.wake();
  }

  async function of(userId: number): Promise<LinkedAccount[]> {
    const setUp = await providers();
    return (await listUserLinks(db, userId)).map((link) => viewOf(link, setUp));
  }

  return { list: of, add, remove };
}

/**
 * Whether its provider is configured and the same as when it was linked: an ID can be reused for a
 * different provider.
 */
function isUsable(link: LinkRow, setUp: readonly IdentityProvider[]): boolean {
  return setUp.some(
    (provider) => provider.id === link.provider && isSameIssuer(issuerOf(provider), link.issuer),
  );
}

function viewOf(link: LinkRow, setUp: readonly IdentityProvider[]): LinkedAccount {
  return {
    provider: link.provider,
    name: setUp.find(({ id }) => id === link.provider)?.name ?? link.provider,
    email: link.email,
    linkedAt: link.created_at,
    lastUsedAt: link.last_used_at,
    usable: isUsable(link, setUp),
  };
}
