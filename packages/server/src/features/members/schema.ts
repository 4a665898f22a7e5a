import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { line, maxId, rowId, boundedText } from "../../kit/fields.ts";
import { cleanText } from "../../kit/text.ts";
import { isEmailAddress } from "../../platform/mailer/email.ts";
import { projectAudience, projectStatus } from "../projects/project.ts";

/** Maximum addresses per invitation request. */
export const maxInvitationsAtOnce = 50;

/** An email address for comparison: lowercase. */
const address = z
  .string("must be text")
  .max(320, "isn't an email address")
  .overwrite((text) => cleanText(text).toLowerCase())
  .refine(isEmailAddress, "isn't an email address");

const idQuery = z.coerce.number().int().min(1).max(maxId).optional();

/** `q` is searched in the address and the name. */
export const memberListQuery = z.strictObject({
  ...pageQuery,
  q: line(200, { tooLong: "must be at most 200 characters" }).optional(),
});
export type MemberListQuery = z.infer<typeof memberListQuery>;

/** A user with an account. Times are ISO 8601 UTC. */
export const member = z.object({
  id: z.number().int(),
  email: z.string(),
  name: z.string(),
  verified: z.boolean(),
  createdAt: z.string(),
  lastSeenAt: z.string().nullable(),
  /** The number of projects that they are invited to. */
  invitations: z.number().int(),
  /** How often they have opened projects. */
  visits: z.number().int(),
});
export type Member = z.infer<typeof member>;
export const memberList = pageSchema(member);
export type MemberList = z.infer<typeof memberList>;

/**
 * The state of a project's private build: `pending` until it is up to date, `none` for an
 * unpublished project.
 */
export const memberBuild = z.object({
  status: z.enum(["ready", "pending", "failed", "none"]),
  /** Of the build that is served. */
  builtAt: z.string().nullable(),
  /** Why the last build failed. */
  error: z.string().nullable(),
});
export type MemberBuild = z.infer<typeof memberBuild>;

/** A restricted project. */
export const memberProject = z.object({
  id: z.number().int(),
  slug: z.string(),
  name: z.string(),
  status: projectStatus,
  audience: projectAudience.exclude(["everyone"]),
  /** The number of invited addresses, and of people who have opened it. */
  invited: z.number().int(),
  opened: z.number().int(),
  build: memberBuild,
});
export type MemberProject = z.infer<typeof memberProject>;
export const memberProjects = z.object({ projects: z.array(memberProject) });

export const aboutProjectQuery = z.strictObject({ ...pageQuery, projectId: idQuery });
export type AboutProjectQuery = z.infer<typeof aboutProjectQuery>;

const projectName = z.object({ id: z.number().int(), slug: z.string(), name: z.string() });

/** `email`: the delivery status of the last email; null if no longer known. */
export const invitation = z.object({
  id: z.number().int(),
  email: z.string(),
  note: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  project: projectName,
  hasAccount: z.boolean(),
  firstOpenedAt: z.string().nullable(),
  lastOpenedAt: z.string().nullable(),
  visits: z.number().int(),
  emailStatus: z.enum(["waiting", "sent", "logged", "failed"]).nullable(),
});
export type Invitation = z.infer<typeof invitation>;
export const invitationList = pageSchema(invitation);
export type InvitationList = z.infer<typeof invitationList>;

/** Who has opened which project; `email` is null once the account was deleted. */
export const visit = z.object({
  email: z.string().nullable(),
  hasAccount: z.boolean(),
  project: projectName,
  firstAt: z.string(),
  lastAt: z.string(),
  visits: z.number().int(),
});
export type Visit = z.infer<typeof visit>;
export const visitList = pageSchema(visit);
export type VisitList = z.infer<typeof visitList>;

export const inviteBody = z.strictObject({
  projectId: rowId,
  emails: z
    .array(address, "must be a list")
    .min(1, "must have at least one address")
    .max(maxInvitationsAtOnce, `must have at most ${maxInvitationsAtOnce} addresses`),
  note: boundedText(1000).default(""),
});
export type InviteBody = z.infer<typeof inviteBody>;

/** `already`: addresses that were already invited, which get no other email. */
export const invited = z.object({ invited: z.number().int(), already: z.array(z.string()) });
export type Invited = z.infer<typeof invited>;

export const invitationBody = z.strictObject({ invitationId: rowId });
/** The result of resending or revoking an invitation. */
export const invitationDone = z.object({ invitationId: z.number().int() });

export const removeBody = z.strictObject({ userId: rowId });
export const removedMember = z.object({ userId: z.number().int(), removed: z.literal(true) });
