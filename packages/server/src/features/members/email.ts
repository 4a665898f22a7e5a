import type { OutgoingEmail } from "../../platform/mailer/outgoing-email.ts";
import { projectPath } from "../release/export.ts";

/**
 * Invites somebody to a project. `token` is for people without an account: it leads to choosing a
 * password. Others sign in.
 */
export function invitationEmail(invitation: {
  to: string;
  siteName: string;
  project: { slug: string; name: string };
  note: string;
  token: string | null;
}): OutgoingEmail {
  const { to, siteName, project, note, token } = invitation;
  const query = new URLSearchParams({
    ...(token === null ? {} : { invite: token }),
    return_to: projectPath(project.slug),
  });
  const way =
    token === null
      ? "Sign in with your account to see it."
      : "Choose a password to see it. The link works for 14 days.";
  return {
    purpose: "invite",
    to,
    subject: `${siteName} invites you to “${project.name}”`,
    content: {
      paragraphs: [
        `${siteName} invites you to see “${project.name}”, which isn't public. ${way}`,
        ...(note === "" ? [] : [`${siteName} writes:`]),
      ],
      ...(note === "" ? {} : { quote: note }),
      action: { label: "See the project", path: `/account?${query}` },
      footnote: `You received this email because the site's owner entered your address. If you don't know ${siteName}, you can ignore it.`,
    },
  };
}
