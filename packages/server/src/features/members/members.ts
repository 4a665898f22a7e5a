import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { deleteSettledEmails, listEmailsTo } from "../../platform/mailer/outbox-store.ts";
import type { User } from "../accounts/account.ts";
import { findUserById } from "../accounts/store.ts";
import { listMessagesFrom } from "../contact/store.ts";
import { projectPath } from "../release/export.ts";
import { listRestricted } from "../projects/store.ts";
import { readAccess } from "./access.ts";
import { readProjects } from "./admin-list.ts";
import { publicIds } from "./build-store.ts";
import {
  deleteOldInvitations,
  deleteRevokedInvitations,
  invitedProjectIds,
  listInvitations,
} from "./invitation-store.ts";
import { resendInvitation, inviteAll, revokeInvitation } from "./invite.ts";
import type { MembersDependencies } from "./members-dependencies.ts";
import { listUsers } from "./user-store.ts";
import type {
  AboutProjectQuery,
  InvitationList,
  InviteBody,
  Invited,
  MemberList,
  MemberListQuery,
  MemberProject,
  VisitList,
} from "./schema.ts";
import { anonymizeVisitor, listVisits, recordVisit } from "./visit-store.ts";

/** A project as shown on the account page. */
export interface ProjectForUser {
  id: number;
  slug: string;
  name: string;
  summary: string;
  /** The path of its page. */
  path: string;
}

/** Access to restricted projects. */
export interface Members {
  /** Whether a lowercase address is invited to anything. */
  isInvited(email: string): Promise<boolean>;
  /** The IDs of the projects that an address is invited to. */
  invitedProjects(email: string): Promise<number[]>;
  /** The projects that a user can open now, in the owner's order. */
  projectsFor(user: User): Promise<ProjectForUser[]>;
  /** All data about the user stored here, for an export. */
  exportUserData(user: User): Promise<Record<string, unknown>>;
  /**
   * Called in the transaction that deletes an account: removes its address from recorded visits,
   * its revoked invitations, and the list of sent emails.
   */
  onDeleted(trx: Db, user: User): Promise<void>;
  /** Deletes invitations of addresses without an account 30 days after they were revoked. */
  sweep(): Promise<void>;
  /** Records that a user has opened a project. */
  recordVisit(user: User, projectId: number): Promise<void>;
  list(query: MemberListQuery): Promise<MemberList>;
  projects(): Promise<MemberProject[]>;
  invitations(query: AboutProjectQuery): Promise<InvitationList>;
  visits(query: AboutProjectQuery): Promise<VisitList>;
  /**
   * Invites addresses and emails them. Throws `not_found`, `invalid_state` for a project that is
   * public or unpublished, `validation_failed` for too many addresses.
   */
  invite(body: InviteBody): Promise<Invited>;
  /** Sends an invitation again. Throws `not_found`, `invalid_state` for a revoked one. */
  resendInvitation(id: number): Promise<void>;
  /** Revokes an invitation immediately. Throws `not_found`, `invalid_state`. */
  revoke(id: number): Promise<void>;
  /** Deletes an account. Throws `not_found`. */
  remove(userId: number): Promise<void>;
}

/** Opening a project again within this time is the same visit, in ms. */
const visitMs = 30 * 60_000;

/** Revoked invitations of addresses without an account are kept this long, in ms. */
const revokedMs = 30 * 24 * 60 * 60_000;

/** Maximum rows of one kind in an export, newest first. */
const maxExportedRows = 10_000;
/** Others may have written messages with this address, as many and as long as they like. */
const maxExportedMessages = 1000;

const noUser = () => new AppError("not_found", "This account doesn't exist.");

async function projectsFor({ db }: MembersDependencies, user: User): Promise<ProjectForUser[]> {
  const { builds, projects } = await readAccess(db, { kind: "user", user });
  const opened = new Set(builds.flatMap(({ pages }) => Array.from(pages.values())));
  const known = new Map((await listRestricted(db)).map((project) => [project.id, project]));
  return projects.flatMap(({ id }) => {
    const project = known.get(id);
    if (project === undefined || !opened.has(id)) return [];
    const { slug, name, summary } = project;
    return [{ id, slug, name, summary, path: projectPath(slug) }];
  });
}

async function exportUserData(
  { db }: MembersDependencies,
  user: User,
): Promise<Record<string, unknown>> {
  const slice = { email: user.email, limit: maxExportedRows, offset: 0 };
  const visits = await listVisits(db, slice);
  const invitations = await listInvitations(db, slice);
  const messages = user.verified ? await listMessagesFrom(db, user.email, maxExportedMessages) : [];
  const emails = await listEmailsTo(db, user.email, maxExportedRows);
  const { projects } = await readAccess(db, { kind: "user", user });
  const visible = new Set([...(await publicIds(db)), ...projects.map(({ id }) => id)]);
  // Users who may no longer see a project don't learn its current name.
  const nameOf = ({ id, name }: { id: number; name: string }) => (visible.has(id) ? name : null);
  return {
    invitations: invitations.items.map(({ project, note, createdAt, revokedAt }) => {
      return { project: nameOf(project), note, createdAt, revokedAt };
    }),
    visits: visits.items.map(({ project, firstAt, lastAt, visits: times }) => {
      return { project: nameOf(project), firstAt, lastAt, visits: times };
    }),
    // Without the client's address: somebody else may have written them.
    messages: messages.map(({ name, message, at }) => ({ name, message, at })),
    emails: emails.map(({ purpose, subject, created_at: createdAt, sent_at: sentAt, status }) => {
      return { purpose, subject, createdAt, sentAt, status };
    }),
  };
}

/** The users with accounts in this database, and what they may see. */
export function makeMembers(deps: MembersDependencies): Members {
  const { db, clock } = deps;
  const sliceOf = ({ page, perPage }: { page: number; perPage: number }) => {
    return { limit: perPage, offset: (page - 1) * perPage };
  };
  const paged = async <T, Q extends { page: number; perPage: number }>(
    query: Q,
    found: Promise<{ items: T[]; total: number }>,
  ) => ({ ...(await found), page: query.page, perPage: query.perPage });
  return {
    isInvited: async (email) => (await invitedProjectIds(db, email)).length > 0,
    invitedProjects: (email) => invitedProjectIds(db, email),
    projectsFor: (user) => projectsFor(deps, user),
    exportUserData: (user) => exportUserData(deps, user),
    async onDeleted(trx, user) {
      await anonymizeVisitor(trx, user);
      await deleteRevokedInvitations(trx, user.email);
      await deleteSettledEmails(trx, user.email);
    },
    sweep: () => deleteOldInvitations(db, isoTime(clock.now() - revokedMs)),
    async recordVisit({ id: userId, email }, projectId) {
      const now = clock.now();
      const times = { at: isoTime(now), countedSince: isoTime(now - visitMs) };
      await recordVisit(db, { projectId, userId, email, ...times });
    },
    list: (query) => paged(query, listUsers(db, { q: query.q, ...sliceOf(query) })),
    projects: () => readProjects(db),
    invitations: (query) =>
      paged(query, listInvitations(db, { projectId: query.projectId, ...sliceOf(query) })),
    visits: (query) =>
      paged(query, listVisits(db, { projectId: query.projectId, ...sliceOf(query) })),
    invite: (body) => inviteAll(deps, body),
    resendInvitation: (id) => resendInvitation(deps, id),
    revoke: (id) => revokeInvitation(deps, id),
    async remove(userId) {
      const user = await findUserById(db, userId);
      if (user === null || !(await deps.deleteAccount(user, "owner"))) throw noUser();
    },
  };
}
