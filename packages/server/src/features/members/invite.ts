import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findUserByEmail } from "../accounts/store.ts";
import { deleteTokens } from "../accounts/token-store.ts";
import { issueToken } from "../accounts/tokens.ts";
import type { ProjectWithBrief } from "../projects/project.ts";
import { findProject } from "../projects/store.ts";
import {
  endInvitation,
  findInvitation,
  insertInvitation,
  invitedAddresses,
  invitedProjectIds,
  setInvitationEmail,
} from "./invitation-store.ts";
import { invitationEmail } from "./email.ts";
import type { MembersDependencies } from "./members-dependencies.ts";
import type { InviteBody, Invited } from "./schema.ts";

/** Maximum addresses invited to one project at a time. */
const maxInvitedPerProject = 500;

/** The project to invite to. Throws `not_found`, `invalid_state`. */
async function requireInvitableProject(trx: Db, id: number): Promise<ProjectWithBrief> {
  const project = await findProject(trx, { id });
  if (project === null) throw new AppError("not_found", "This project doesn't exist.");
  if (project.audience === "everyone") {
    throw new AppError("invalid_state", "This project is public, so nobody needs an invitation.");
  }
  if (project.status !== "published") {
    const message = "Publish the project first. Otherwise, the link in the email leads nowhere.";
    throw new AppError("invalid_state", message);
  }
  return project;
}

async function sendInvitation(
  { outbox, siteName, clock }: MembersDependencies,
  trx: Db,
  invitation: { id: number; email: string; note: string; project: ProjectWithBrief },
): Promise<void> {
  const { id, email, note, project } = invitation;
  const known = await findUserByEmail(trx, email);
  // Somebody else may have signed up with the address and may be waiting for the invited person to
  // confirm it.
  const token = known?.verified
    ? null
    : await issueToken(trx, { purpose: "invite", email, userId: null, now: clock.now() });
  const outgoingEmail = invitationEmail({ to: email, siteName: siteName(), project, note, token });
  await setInvitationEmail(trx, id, await outbox.enqueue(trx, outgoingEmail));
}

/** Invites addresses to a project, each once, all or none. */
export async function inviteAll(deps: MembersDependencies, body: InviteBody): Promise<Invited> {
  const { db, clock, outbox } = deps;
  const emails = [...new Set(body.emails)];
  const invited = await db.transaction().execute(async (trx) => {
    const project = await requireInvitableProject(trx, body.projectId);
    const before = new Set(await invitedAddresses(trx, project.id));
    const fresh = emails.filter((email) => !before.has(email));
    if (before.size + fresh.length > maxInvitedPerProject) {
      const message = `A project can have at most ${maxInvitedPerProject} invited addresses.`;
      throw new AppError("validation_failed", message, { fields: { emails: message } });
    }
    const already = emails.filter((email) => before.has(email));
    const { note } = body;
    for (const email of fresh) {
      const at = isoTime(clock.now());
      const id = await insertInvitation(trx, { projectId: project.id, email, note, at });
      if (id === null) already.push(email);
      else await sendInvitation(deps, trx, { id, email, note, project });
    }
    return { invited: emails.length - already.length, already };
  });
  outbox.wake();
  return invited;
}

/** The live invitation with this ID. Throws `not_found`, `invalid_state`. */
async function liveInvitation(trx: Db, id: number) {
  const invitation = await findInvitation(trx, id);
  if (invitation === null) throw new AppError("not_found", "This invitation doesn't exist.");
  if (invitation.revoked_at !== null) {
    throw new AppError("invalid_state", "This invitation was revoked. Send a new one.");
  }
  return invitation;
}

/** Sends a live invitation again; the earlier link becomes invalid. */
export async function resendInvitation(deps: MembersDependencies, id: number): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const { email, note, project_id } = await liveInvitation(trx, id);
    const project = await requireInvitableProject(trx, project_id);
    await sendInvitation(deps, trx, { id, email, note, project });
  });
  deps.outbox.wake();
}

/** Revokes an invitation, and the emailed link if it was the address's last invitation. */
export async function revokeInvitation(
  { db, clock }: MembersDependencies,
  id: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { email } = await liveInvitation(trx, id);
    await endInvitation(trx, id, isoTime(clock.now()));
    const others = await invitedProjectIds(trx, email);
    if (others.length === 0) await deleteTokens(trx, email, "invite");
  });
}
