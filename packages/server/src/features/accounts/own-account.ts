import { AppError } from "../../kit/errors.ts";
import type { Accounts, SessionView, SignedInUser, User, UserSession } from "./account.ts";
import { confirmPassword, requireFreshSignIn } from "./confirm-password.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import type { DeleteAccount } from "./delete-account.ts";
import { deleteOwnSession, deleteSessions, listSessions } from "./session-store.ts";
import { toSession } from "./sessions.ts";
import { findUserRowById, listLinks } from "./store.ts";
import { isoTime } from "../../kit/time.ts";

function toView(session: UserSession, current: string): SessionView {
  const { idHash: id, createdAt, lastSeenAt, expiresAt, method, ip, userAgent } = session;
  return { id, current: id === current, createdAt, lastSeenAt, expiresAt, method, ip, userAgent };
}

async function sessionsOf(
  accounts: AccountDependencies,
  { user, session }: SignedInUser,
): Promise<SessionView[]> {
  const rows = await listSessions(accounts.db, user.id, isoTime(accounts.sessions.now()));
  return rows.map((row) => toView(toSession(row), session.idHash));
}

function makeRevoke({ db }: AccountDependencies): Accounts["revokeSession"] {
  return async ({ user, session }, which) => {
    if (which === "others") return deleteSessions(db, user.id, session.idHash);
    if (await deleteOwnSession(db, user.id, which.id)) return;
    throw new AppError("not_found", "This session doesn't exist or has already ended.");
  };
}

function makeExport(
  accounts: AccountDependencies,
  extraPersonalData: (user: User) => Promise<Record<string, unknown>>,
): Accounts["exportData"] {
  return async (who) => {
    const [row, sessions, linkedAccounts, also] = await Promise.all([
      findUserRowById(accounts.db, who.user.id),
      sessionsOf(accounts, who),
      listLinks(accounts.db, who.user.id),
      extraPersonalData(who.user),
    ]);
    const { email, name, createdAt } = who.user;
    const verifiedAt = row?.email_verified_at ?? null;
    const passwordSetAt = row?.password_set_at ?? null;
    const account = { email, name, createdAt, verifiedAt, passwordSetAt };
    return { account, sessions, linkedAccounts, ...also };
  };
}

function makeRemove(
  accounts: AccountDependencies,
  deleteAccount: DeleteAccount,
): Accounts["remove"] {
  return async ({ user, session }, input, visitor) => {
    if (user.hasPassword)
      await confirmPassword(accounts, user.id, visitor, input.password, "password");
    else requireFreshSignIn(session, accounts.sessions.now());
    await deleteAccount(user, "user");
  };
}

/** Operations of users on their own accounts. */
export function ownOperations(
  accounts: AccountDependencies,
  deps: {
    exportExtraData(user: User): Promise<Record<string, unknown>>;
    removeUser: DeleteAccount;
  },
): Pick<Accounts, "sessions" | "revokeSession" | "exportData" | "remove"> {
  return {
    sessions: (who) => sessionsOf(accounts, who),
    revokeSession: makeRevoke(accounts),
    exportData: makeExport(accounts, deps.exportExtraData),
    remove: makeRemove(accounts, deps.removeUser),
  };
}
