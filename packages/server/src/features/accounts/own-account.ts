import { AppError } from "../../kit/errors.ts";
import type { Accounts, SessionView, SignedInUser, User, UserSession } from "./account.ts";
import { confirmPassword, requireFreshSignIn } from "./confirm-password.ts";
import type { Parts } from "./parts.ts";
import type { RemoveUser } from "./removal.ts";
import { deleteOwnSession, deleteSessions, listSessions } from "./session-store.ts";
import { toSession } from "./sessions.ts";
import { findUserRowById, listLinks } from "./store.ts";
import { isoTime } from "../../kit/time.ts";

function toView(session: UserSession, current: string): SessionView {
  const { idHash: id, createdAt, lastSeenAt, expiresAt, method, ip, userAgent } = session;
  return { id, current: id === current, createdAt, lastSeenAt, expiresAt, method, ip, userAgent };
}

async function sessionsOf(parts: Parts, { user, session }: SignedInUser): Promise<SessionView[]> {
  const rows = await listSessions(parts.db, user.id, isoTime(parts.now()));
  return rows.map((row) => toView(toSession(row), session.idHash));
}

function makeRevoke({ db }: Parts): Accounts["revokeSession"] {
  return async ({ user, session }, which) => {
    if (which === "others") return deleteSessions(db, user.id, session.idHash);
    if (await deleteOwnSession(db, user.id, which.id)) return;
    throw new AppError("not_found", "There is no such session.");
  };
}

function makeExport(
  parts: Parts,
  alsoKept: (user: User) => Promise<Record<string, unknown>>,
): Accounts["exportData"] {
  return async (who) => {
    const [row, sessions, linkedAccounts, also] = await Promise.all([
      findUserRowById(parts.db, who.user.id),
      sessionsOf(parts, who),
      listLinks(parts.db, who.user.id),
      alsoKept(who.user),
    ]);
    const { email, name, createdAt } = who.user;
    const verifiedAt = row?.email_verified_at ?? null;
    const passwordSetAt = row?.password_set_at ?? null;
    const account = { email, name, createdAt, verifiedAt, passwordSetAt };
    return { account, sessions, linkedAccounts, ...also };
  };
}

function makeRemove(parts: Parts, removeUser: RemoveUser): Accounts["remove"] {
  return async ({ user, session }, said, visitor) => {
    if (user.hasPassword) await confirmPassword(parts, user.id, visitor, said.password, "password");
    else requireFreshSignIn(session, parts.now());
    await removeUser(user, "user");
  };
}

/** What users see and do of their own accounts. */
export function ownOperations(
  parts: Parts,
  deps: { alsoKept(user: User): Promise<Record<string, unknown>>; removeUser: RemoveUser },
): Pick<Accounts, "sessions" | "revokeSession" | "exportData" | "remove"> {
  return {
    sessions: (who) => sessionsOf(parts, who),
    revokeSession: makeRevoke(parts),
    exportData: makeExport(parts, deps.alsoKept),
    remove: makeRemove(parts, deps.removeUser),
  };
}
