import type { Invitation, MemberBuild, MemberProject } from "./useMembers.ts";

/** The audience of a project. */
export const audienceLabels: Readonly<Record<MemberProject["audience"], string>> = {
  members: "For people with an account",
  invited: "For people you invite",
};

/** The state of a project's private build. */
export const buildLabels: Readonly<Record<MemberBuild["status"], string>> = {
  ready: "Ready",
  pending: "Being built",
  failed: "Build failed",
  none: "Not published",
};

/** The delivery status of an invitation's email. */
export const emailErrorText: Readonly<Record<NonNullable<Invitation["emailStatus"]>, string>> = {
  waiting: "email on its way",
  sent: "email sent",
  logged: "email written to the log only",
  failed: "email not delivered",
};

/** How often something was opened, as a sentence. */
export function timesLabel(visits: number): string {
  if (visits === 1) return "once";
  return visits === 2 ? "twice" : `${visits} times`;
}
