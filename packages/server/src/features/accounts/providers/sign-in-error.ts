import { AppError, type ErrorCode } from "../../../kit/errors.ts";

/** Why somebody who came back from a provider is not signed in, where it lies with them or with us. */
export const signInErrorCodes = [
  /** They did not go on at the provider. */
  "cancelled",
  /** The provider does not say that the address is theirs. */
  "email_not_verified",
  /** The address has an account here, which they may link once they have signed in to it. */
  "email_already_registered",
  /** New accounts are not for everybody. */
  "joining_closed",
  /** Somebody else's account is linked with this one at the provider. */
  "link_taken",
  /** Another account of the same provider is linked already. */
  "already_linked",
  /** Who began to link is not signed in any more. */
  "signed_out",
  /** Somebody is signed in in this browser already. */
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

/** A refusal with its code, which the account page has words for. */
export class SignInError extends AppError {
  readonly problem: SignInErrorCode;

  constructor(problem: SignInErrorCode) {
    const [code, message] = errorDetails[problem];
    super(code, message, { details: { problem } });
    this.problem = problem;
  }
}
