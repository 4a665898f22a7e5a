import { html, type Markup } from "../../../kit/html.ts";
import type { SignInErrorCode } from "../providers/sign-in-error.ts";
import { notice } from "./form-fields.ts";

/** What a page says has happened, by the code in its query; nothing else of a query is ever shown. */
const messages = {
  "mail-sent": [
    "Look into your mail.",
    "If the address can have an account here, a mail is on its way with a link that confirms it. When it does not come within a few minutes, look among the spam.",
  ],
  "link-sent": [
    "Look into your mail.",
    "If the address has an account here, a mail is on its way with a link to choose a new password. It works for a limited time.",
  ],
  confirmed: ["Your address is confirmed.", "Your account is there, and you are signed in."],
  "password-set": [
    "Your new password is set.",
    "Sign in with it. Whoever was signed in with the old one is not any more.",
  ],
  "signed-out": ["You are signed out.", ""],
  welcome: ["Welcome.", "Your account is there, and you are signed in."],
  "password-changed": [
    "Your password is changed.",
    "On your other devices you have been signed out.",
  ],
  "session-ended": ["Signed out there.", ""],
  "others-ended": ["Signed out everywhere else.", "You are signed in here only."],
  linked: ["Linked.", "You can sign in that way from now on."],
  unlinked: ["Unlinked.", "You can't sign in that way any more."],
  deleted: ["Your account is deleted.", "All that was kept about it is gone."],
} as const;

export type OutcomeCode = keyof typeof messages;

function isOutcome(code: string): code is OutcomeCode {
  return Object.hasOwn(messages, code);
}

/** What has happened, for the top of a page; null for a code that is none. */
export function outcomeNotice(code: string | null): Markup | null {
  if (code === null || !isOutcome(code)) return null;
  const [first, more] = messages[code];
  return notice("good", html`<p><b>${first}</b> ${more}</p>`);
}

/** What went wrong at a provider, in words with a way on. */
const problems: Readonly<Record<SignInErrorCode, readonly [string, string]>> = {
  cancelled: [
    "You are not signed in.",
    "The sign-in was cancelled at the provider. Nothing has changed.",
  ],
  email_not_verified: [
    "You are not signed in.",
    "The other side does not say that your address there is confirmed. Confirm it there first, or use a password here.",
  ],
  email_already_registered: [
    "You are not signed in.",
    "The address has an account here. Sign in to it as you usually do; in your account you can then link the other way to sign in.",
  ],
  joining_closed: ["You are not signed in.", "New accounts are closed here."],
  link_taken: ["Nothing is linked.", "That sign-in belongs to another account here."],
  already_linked: [
    "Nothing is linked.",
    "Another one of the same kind is linked with your account. Unlink it first.",
  ],
  signed_out: [
    "Nothing is linked.",
    "Your session has ended. Sign in, then link the provider again.",
  ],
  signed_in: ["You are not signed in.", "Somebody else is signed in here. Sign out first."],
};

/** The same for `?problem=`; an unknown code has general words. */
export function problemNotice(code: string | null): Markup | null {
  if (code === null) return null;
  const known = Object.hasOwn(problems, code) ? problems[code as SignInErrorCode] : undefined;
  const [first, more] = known ?? ["You are not signed in.", "The other side gave no good answer."];
  return notice("bad", html`<p><b>${first}</b> ${more}</p>`);
}
