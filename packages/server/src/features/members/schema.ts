import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { line, maxId, rowId, boundedText } from "../../kit/fields.ts";
import { cleanText } from "../../kit/text.ts";
import { isEmailAddress } from "../../platform/mailer/email.ts";
import { projectAudience, projectStatus } from "../projects/project.ts";

/** The most addresses that are invited at once. */
export const maxInvitationsAtOnce = 50;

/** An email address as it is compared: in small letters. */
const address = z
  .string("must be text")
  .max(320, "isn't an email address")
  .overwrite((text) => cleanText(text).toLowerCase())
  .refine(isEmailAddress, "isn't an email address");

const idQuery = z.coerce.number().int().min(1).max(maxId).optional();

/** `q` has to occur in the address or the name. */
export const memberListQuery = z.strictObject({
  ...pageQuery,
  q: line(200, { tooLong: "must be at most 200 characters" }).optional(),
});
export type MemberListQuery = z.infer<typeof memberListQuery>;

/** Somebody with an account. Times are ISO 8601 UTC. */
export const member = z.object({
  id: z.number().int(),
  email: z.string(),
  name: z.string(),
  verified: z.boolean(),
  createdAt: z.string(),
  lastSeenAt: z.string().nullable(),
  /** How many projects they are invited to. */
  invitations: z.number().int(),
  /** How often they have opened projects. */
  visits: z.number().int(),
});
export type Member = z.infer<typeof member>;
export const memberList = pageSchema(member);
export type MemberList = z.infer<typeof memberList>;

/**
 * How the private build of a project stands: `pending` until it shows the project as it is, `none`
 * for a project that is not published.
 */
export const memberBuild = z.object({
  status: z.enum(["ready", "pending", "failed", "none"]),
  /** Of the one that is served. */
  builtAt: z.string().nullable(),
  /** Why the last one failed. */
  error: z.string().nullable(),
});
export type MemberBuild = z.infer<typeof memberBuild>;

/** A project that is not for everybody. */
export const memberProject = z.object({
  id: z.number().int(),
  slug: z.string(),
  name: z.string(),
  status: projectStatus,
  audience: projectAudience.exclude(["everyone"]),
  /** How many addresses are invited to it, and how many people have opened it. */
  invited: z.number().int(),
  opened: z.number().int(),
  build: memberBuild,
});
export type MemberProject = z.infer<typeof memberProject>;
export const memberProjects = z.object({ projects: z.array(memberProject) });

export const aboutProjectQuery = z.strictObject({ ...pageQuery, projectId: idQuery });
export type AboutProjectQuery = z.infer<typeof aboutProjectQuery>;

const projectName = z.object({ id: z.number().int(), slug: z.string(), name: z.string() });

/** `email`: what became of the last email about it; null where that is no longer known. */
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

/** Who has opened what; `email` is null once the account was removed. */
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
    .min(1, "names nobody")
    .max(maxInvitationsAtOnce, `must have at most ${maxInvitationsAtOnce} addresses`),
  note: boundedText(1000).default(""),
});
export type InviteBody = z.infer<typeof inviteBody>;

/** `already`: those that were invited before, who get no other mail. */
export const invited = z.object({ invited: z.number().int(), already: z.array(z.string()) });
export type Invited = z.infer<typeof invited>;

export const invitationBody = z.strictObject({ invitationId: rowId });
/** What is left to say of an invitation that was mailed again, or revoked. */
export const invitationDone = z.object({ invitationId: z.number().int() });

export const removeBody = z.strictObject({ userId: rowId });
export const removedMember = z.object({ userId: z.number().int(), removed: z.literal(true) });
