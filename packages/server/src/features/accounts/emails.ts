import type { OutgoingEmail } from "../../platform/mailer/outgoing-email.ts";

/** The recipient and the site that sends the email. */
interface EmailContext {
  siteName: string;
  to: string;
}

/** Paths that links in emails lead to; the pages read `token` from the query. */
const pages = { account: "/account", verify: "/account/verify", reset: "/account/reset" };

function linkTo(page: string, token: string): string {
  return `${page}?token=${token}`;
}

/** Asks the recipient to confirm an address. */
export function verificationEmail({
  siteName,
  to,
  token,
}: EmailContext & { token: string }): OutgoingEmail {
  return {
    purpose: "verify",
    to,
    subject: `Confirm your address for ${siteName}`,
    content: {
      paragraphs: [
        `Someone, probably you, has created an account at ${siteName} with this email address.`,
        "If it was you, confirm your address with the password you chose. The link works for 24 hours.",
      ],
      action: { label: "Confirm address", path: linkTo(pages.verify, token) },
      footnote:
        "If this wasn't you, you can ignore this email. Nobody can sign in until the address is confirmed.",
    },
  };
}

/** Tells the owner of an address that somebody tried to sign up with it. */
export function accountExistsEmail({ siteName, to }: EmailContext): OutgoingEmail {
  return {
    purpose: "account_exists",
    to,
    subject: `You already have an account at ${siteName}`,
    content: {
      paragraphs: [
        `Someone, probably you, tried to sign up at ${siteName} with this email address. It already has an account, and nothing about it has changed.`,
        "Sign in with the password you chose then. If you've forgotten it, you can reset it on the sign-in page.",
      ],
      action: { label: "Sign in", path: pages.account },
      footnote: "If this wasn't you, you can ignore this email.",
    },
  };
}

/** Contains the link to choose a new password. */
export function passwordResetEmail({
  siteName,
  to,
  token,
}: EmailContext & { token: string }): OutgoingEmail {
  return {
    purpose: "reset",
    to,
    subject: `Choose a new password for ${siteName}`,
    content: {
      paragraphs: [
        `Someone, probably you, asked to reset the password of your account at ${siteName}.`,
        "Use the link to choose a new one. It works for one hour, and you'll be signed out on all devices.",
      ],
      action: { label: "Choose a new password", path: linkTo(pages.reset, token) },
      footnote: "If this wasn't you, you can ignore this email. Your password stays the same.",
    },
  };
}

/** Reports that the password has changed. */
export function passwordChangedEmail({ siteName, to }: EmailContext): OutgoingEmail {
  return {
    purpose: "notice",
    to,
    subject: `Your password for ${siteName} was changed`,
    content: {
      paragraphs: [
        `The password of your account at ${siteName} was just changed, and all other devices were signed out.`,
      ],
      action: { label: "Go to your account", path: pages.account },
      footnote:
        "If this wasn't you, choose “Forgot your password?” on the sign-in page right away to set a new one.",
    },
  };
}

/** Reports that the account was deleted. */
export function accountDeletedEmail({
  siteName,
  to,
  by,
}: EmailContext & { by: "user" | "owner" }): OutgoingEmail {
  const what =
    by === "user"
      ? `Your account at ${siteName} was deleted as you asked.`
      : `Your account at ${siteName} was deleted by the site's owner.`;
  return {
    purpose: "notice",
    to,
    subject: `Your account at ${siteName} was deleted`,
    content: {
      paragraphs: [what, "It can no longer be used to sign in."],
      footnote: "If you didn't ask for this, contact the site's owner.",
    },
  };
}
