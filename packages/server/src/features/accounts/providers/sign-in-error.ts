import { AppError, type ErrorCode } from "../../../kit/errors.ts";

/** Why a user who returned from a provider isn't signed in, if the cause is theirs or ours. */
export const signInErrorCodes = [
  /** The user cancelled at the provider. */
  "cancelled",
  /** The provider hasn't confirmed the address. */
  "email_not_verified",
  /** The address already has an account; its user can link the provider after signing in. */
  "email_already_registered",
  /** New accounts aren't open to everybody. */
  "joining_closed",
  /** The account at the provider is linked to a different user. */
  "link_taken",
  /** A different account of this provider is linked already. */
  "already_linked",
  /** The user who started linking is no longer signed in. */
  "signed_out",
  /** The browser is signed in already. */
  "signed_in",
] as const;
export type SignInErrorCode = (typeof signInErrorCodes)[number];

const errorDetails: Readonly<Record<SignInErrorCode, readonly [ErrorCode, string]>> = {
  cancelled: ["bad_request", "The sign-in was cancelled at the provider. Nothing has changed."],
  email_not_verified: [
    "forbidden",
    "The provider hasn't verified your email address. Verify it there first, or sign in with a password.",
  ],
  email_already_registered: [
    "already_exists",
    "This address already has an account. Sign in to it first, then link this provider in your account.",
  ],
  joining_closed: ["forbidden", "This site doesn’t accept new accounts at the moment."],
  link_taken: [
    "conflict",
    "This sign-in is linked with another account here. Nothing was changed.",
  ],
  already_linked: [
    "conflict",
    "Another account at this provider is already linked. Unlink it first.",
  ],
  signed_out: ["unauthenticated", "Your session has ended. Sign in, then link the provider again."],
  signed_in: ["invalid_state", "This browser is already signed in. Sign out first."],
};

/** A refusal with a code, for which the account page has a message. */
export class SignInError extends AppError {
  readonly problem: SignInErrorCode;

  constructor(problem: SignInErrorCode) {
    const [code, message] = errorDetails[problem];
    super(code, message, { details: { problem } });
    this.problem = problem;
  }
}
