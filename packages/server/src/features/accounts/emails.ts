import type { OutgoingEmail } from "../../platform/mailer/outgoing-email.ts";

/** To whom, and from which site. */
interface EmailContext {
  siteName: string;
  to: string;
}

/** Where the links of emails lead; the pages of these addresses take `token` from the query. */
const pages = { account: "/account", verify: "/account/verify", reset: "/account/reset" };

function linkTo(page: string, token: string): string {
  return `${page}?token=${token}`;
}

/** Asks to confirm an address. */
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
        `Somebody, probably you, has begun an account at ${siteName} with this address, and chosen a password for it.`,
        "If it was you, confirm that the address is yours with that password. The link is good for 24 hours.",
      ],
      action: { label: "Confirm the address", path: linkTo(pages.verify, token) },
      footnote:
        "If this was not you, there is nothing that you need to do: without a confirmation nobody can sign in.",
    },
  };
}

/** Tells the owner of an address that somebody tried to sign up with it. */
export function accountExistsEmail({ siteName, to }: EmailContext): OutgoingEmail {
  return {
    purpose: "account_exists",
    to,
    subject: `You have an account at ${siteName} already`,
    content: {
      paragraphs: [
        `Somebody, probably you, has tried to sign up at ${siteName} with this address. It has an account already, and nothing about it was changed.`,
        "Sign in with the password that you chose then. If you have forgotten it, ask for a link to choose a new one on the same page.",
      ],
      action: { label: "Sign in", path: pages.account },
      footnote: "If this was not you, there is nothing that you need to do.",
    },
  };
}

/** Lets somebody choose a new password. */
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
        `Somebody, probably you, has asked for a new password for your account at ${siteName}.`,
        "Choose it behind this link, which is good for one hour. You will be signed out everywhere.",
      ],
      action: { label: "Choose a new password", path: linkTo(pages.reset, token) },
      footnote: "If this was not you, do nothing: your password stays what it is.",
    },
  };
}

/** Says that the password is another one now. */
export function passwordChangedEmail({ siteName, to }: EmailContext): OutgoingEmail {
  return {
    purpose: "notice",
    to,
    subject: `Your password for ${siteName} was changed`,
    content: {
      paragraphs: [
        `The password of your account at ${siteName} was changed just now, and the other browsers that were signed in no longer are.`,
      ],
      action: { label: "Go to your account", path: pages.account },
      footnote:
        "If this was not you, choose “Forgotten your password?” on that page at once: a link to choose a new one comes to this address.",
    },
  };
}

/** Says that the account is gone. */
export function accountDeletedEmail({
  siteName,
  to,
  by,
}: EmailContext & { by: "user" | "owner" }): OutgoingEmail {
  const what =
    by === "user"
      ? `Your account at ${siteName} was removed as you asked.`
      : `Your account at ${siteName} was removed by the owner of the site.`;
  return {
    purpose: "notice",
    to,
    subject: `Your account at ${siteName} was removed`,
    content: {
      paragraphs: [what, "Nobody can sign in with it any more."],
      footnote: "If you did not ask for this, write to the owner of the site.",
    },
  };
}
