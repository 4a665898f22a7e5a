import type { Invitation, MemberBuild, MemberProject } from "./useMembers.ts";

/** Whom a project is for, in a few words. */
export const audienceLabels: Readonly<Record<MemberProject["audience"], string>> = {
  members: "For people with an account",
  invited: "For people you invite",
};

/** What a project's private build is like. */
export const buildLabels: Readonly<Record<MemberBuild["status"], string>> = {
  ready: "Ready",
  pending: "Being built",
  failed: "Build failed",
  none: "Not published",
};

/** What became of the mail of an invitation. */
export const emailErrorText: Readonly<Record<NonNullable<Invitation["emailStatus"]>, string>> = {
  waiting: "email on its way",
  sent: "email sent",
  logged: "email written to the log only",
  failed: "email not delivered",
};

/** How often something was opened, in a sentence. */
export function timesLabel(visits: number): string {
  if (visits === 1) return "once";
  return visits === 2 ? "twice" : `${visits} times`;
}
