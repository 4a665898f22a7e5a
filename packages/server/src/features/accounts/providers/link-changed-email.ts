import type { OutgoingEmail } from "../../../platform/mailer/outgoing-email.ts";

/** Tells somebody that their account can be reached another way now, or no longer. */
export function linkChangedEmail(
  to: string,
  what: { kind: "linked" | "unlinked"; provider: string; site: string },
): OutgoingEmail {
  const { kind, provider, site } = what;
  const reply =
    kind === "linked"
      ? `Your account can now be signed in to with ${provider}.`
      : `Your account can no longer be signed in to with ${provider}.`;
  return {
    purpose: "notice",
    to,
    subject: `${provider} ${kind === "linked" ? "linked with" : "unlinked from"} your account at ${site}`,
    content: {
      paragraphs: [reply],
      action: { label: "Look at your account", path: "/account" },
      footnote:
        "If this was not you, choose a new password, end the other sessions and look at what is linked.",
    },
  };
}
