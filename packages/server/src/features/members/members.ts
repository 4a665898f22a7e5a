import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { User } from "../accounts/account.ts";
import { findUserById } from "../accounts/store.ts";
import { projectPath } from "../release/export.ts";
import { listRestricted } from "../projects/store.ts";
import { readAccess } from "./access.ts";
import { readProjects } from "./admin-list.ts";
import { publicIds } from "./build-store.ts";
import { invitedProjectIds, listInvitations } from "./invitation-store.ts";
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

/** A project as the page of an account shows it. */
export interface ProjectForUser {
  id: number;
  slug: string;
  name: string;
  summary: string;
  /** The address of its page in this site. */
  path: string;
}

/** Who may see what is not for everybody. */
export interface Members {
  /** Whether an address, in small letters, is invited to anything. */
  isInvited(email: string): Promise<boolean>;
  /** The ids of the projects that an address is invited to. */
  invitedProjects(email: string): Promise<number[]>;
  /** What a user can open now, in the owner's order. */
  projectsFor(user: User): Promise<ProjectForUser[]>;
  /** All that is kept here about a user, for their export. */
  exportUserData(user: User): Promise<Record<string, unknown>>;
  /** In the transaction that removes an account: nothing says any more who came. */
  onDeleted(trx: Db, user: User): Promise<void>;
  /** Notes that a user has opened a project. */
  recordVisit(user: User, projectId: number): Promise<void>;
  list(query: MemberListQuery): Promise<MemberList>;
  projects(): Promise<MemberProject[]>;
  invitations(query: AboutProjectQuery): Promise<InvitationList>;
  visits(query: AboutProjectQuery): Promise<VisitList>;
  /**
   * Invites addresses and emails them. Throws `not_found`, `invalid_state` for a project that is for
   * everybody or not published, `validation_failed` for too many.
   */
  invite(body: InviteBody): Promise<Invited>;
  /** Emails an invitation again. Throws `not_found`, `invalid_state` for one that was revoked. */
  resendInvitation(id: number): Promise<void>;
  /** Ends an invitation at once. Throws `not_found`, `invalid_state`. */
  revoke(id: number): Promise<void>;
  /** Removes an account. Throws `not_found`. */
  remove(userId: number): Promise<void>;
}

/** Within this time another opening is the same visit, in ms. */
const visitMs = 30 * 60_000;

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
  const slice = { email: user.email, limit: 10_000, offset: 0 };
  const visits = await listVisits(db, slice);
  const invitations = await listInvitations(db, slice);
  const { projects } = await readAccess(db, { kind: "user", user });
  const visible = new Set([...(await publicIds(db)), ...projects.map(({ id }) => id)]);
  // What a project is called now is not theirs to know who may not see it any more.
  const nameOf = ({ id, name }: { id: number; name: string }) => (visible.has(id) ? name : null);
  return {
    invitations: invitations.items.map(({ project, createdAt, revokedAt }) => {
      return { project: nameOf(project), createdAt, revokedAt };
    }),
    visits: visits.items.map(({ project, firstAt, lastAt, visits: times }) => {
      return { project: nameOf(project), firstAt, lastAt, visits: times };
    }),
  };
}

/** Those who have accounts in this database, and what they may see. */
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
    onDeleted: (trx, user) => anonymizeVisitor(trx, user),
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
