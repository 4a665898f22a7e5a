import type { OutgoingEmail } from "../../../platform/mailer/outgoing-email.ts";

/** Tells a user that a way to sign in to their account was added or removed. */
export function linkChangedEmail(
  to: string,
  what: { kind: "linked" | "unlinked"; provider: string; site: string },
): OutgoingEmail {
  const { kind, provider, site } = what;
  const reply =
    kind === "linked"
      ? `You can now sign in to your account with ${provider}.`
      : `You can no longer sign in to your account with ${provider}.`;
  return {
    purpose: "notice",
    to,
    subject: `${provider} ${kind === "linked" ? "linked with" : "unlinked from"} your account at ${site}`,
    content: {
      paragraphs: [reply],
      action: { label: "Go to your account", path: "/account" },
      footnote:
        "If this wasn't you, choose a new password, sign out of your other devices and check which sign-ins are linked.",
    },
  };
}
