import { html, type Markup } from "../../../kit/html.ts";
import type { SignInErrorCode } from "../providers/sign-in-error.ts";
import { notice } from "./form-fields.ts";

/** Messages for the codes in a page's query; nothing else of the query is ever shown. */
const messages = {
  "mail-sent": [
    "Check your email.",
    "If this address can have an account here, we’ve sent it a link to confirm it. If it doesn’t arrive within a few minutes, check your spam folder.",
  ],
  "link-sent": [
    "Check your email.",
    "If this address has an account here, we’ve sent it a link to choose a new password. The link works for a limited time.",
  ],
  confirmed: ["Your address is confirmed.", "Your account is ready, and you’re signed in."],
  "password-set": [
    "Your new password is set.",
    "Sign in with it. All devices that used the old one have been signed out.",
  ],
  "signed-out": ["You’re signed out.", ""],
  welcome: ["Welcome.", "Your account is ready, and you’re signed in."],
  "password-changed": ["Your password is changed.", "Your other devices have been signed out."],
  "session-ended": ["The device is signed out.", ""],
  "others-ended": ["All other devices are signed out.", "You’re still signed in on this one."],
  linked: ["Linked.", "You can sign in that way from now on."],
  unlinked: ["Unlinked.", "You can no longer sign in that way."],
  deleted: ["Your account is deleted.", "Everything we stored about it has been removed."],
} as const;

export type OutcomeCode = keyof typeof messages;

function isOutcome(code: string): code is OutcomeCode {
  return Object.hasOwn(messages, code);
}

/** The message for the top of a page; null for an unknown code. */
export function outcomeNotice(code: string | null): Markup | null {
  if (code === null || !isOutcome(code)) return null;
  const [first, more] = messages[code];
  return notice("good", html`<p><b>${first}</b> ${more}</p>`);
}

/** What went wrong at a provider and what to do next. */
const problems: Readonly<Record<SignInErrorCode, readonly [string, string]>> = {
  cancelled: [
    "Nothing has changed.",
    "You cancelled at the provider. To try again, choose it again.",
  ],
  email_not_verified: [
    "You’re not signed in.",
    "Your email address isn’t confirmed at the provider. Confirm it there first, or use a password here.",
  ],
  email_already_registered: [
    "You’re not signed in.",
    "This email address already has an account here. Sign in as usual, then link the provider in your account.",
  ],
  joining_closed: ["You’re not signed in.", "This site doesn’t accept new accounts at the moment."],
  link_taken: [
    "Couldn’t link the provider.",
    "That sign-in already belongs to another account here.",
  ],
  already_linked: [
    "Couldn’t link the provider.",
    "Your account is already linked to another sign-in of this provider. Unlink that one first.",
  ],
  signed_out: [
    "Couldn’t link the provider.",
    "Your session has ended. Sign in, then link the provider again.",
  ],
  signed_in: ["You’re not signed in.", "Someone else is signed in on this device. Sign out first."],
};

/** The same for `?problem=`; an unknown code gets a general message. */
export function problemNotice(code: string | null): Markup | null {
  if (code === null) return null;
  const known = Object.hasOwn(problems, code) ? problems[code as SignInErrorCode] : undefined;
  const [first, more] = known ?? [
    "That didn’t work.",
    "The provider’s response couldn’t be used. Try again.",
  ];
  return notice("bad", html`<p><b>${first}</b> ${more}</p>`);
}
