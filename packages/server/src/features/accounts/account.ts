/** Somebody with an account. Times are ISO 8601 UTC. */
export interface User {
  id: number;
  /** In small letters. */
  email: string;
  /** May be empty. */
  name: string;
  /** Whether they have shown that the address is theirs; what is for an address is for such only. */
  verified: boolean;
  /** False for who signs in by a provider only. */
  hasPassword: boolean;
  createdAt: string;
}

/** A signed-in browser of a user. */
export interface UserSession {
  /** SHA-256 of the id in the cookie. */
  idHash: string;
  userId: number;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  /** `password`, `invite`, or the id of a provider. */
  method: string;
  ip: string;
  userAgent: string;
}

/** Who asks. */
export interface Visitor {
  /** The canonical address, for records. */
  address: string;
  /** What limits count by. */
  bucket: string;
  /** Never throttled. */
  trusted: boolean;
  userAgent: string;
}

/** A session that has just begun; `cookieValue` is kept nowhere else. */
export interface SignedIn {
  user: User;
  session: UserSession;
  cookieValue: string;
}

/** Who a request is from. */
export interface SignedInUser {
  user: User;
  session: UserSession;
}

/** A session as its user sees it; `id` names it without being able to use it. */
export interface SessionView {
  id: string;
  current: boolean;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  method: string;
  ip: string;
  userAgent: string;
}

/**
 * What can be done with accounts, by the JSON API and by the pages alike. No answer and no time
 * that one takes tells a stranger whether an address is known.
 */
export interface Accounts {
  /**
   * Begins an account and emails a link to confirm its address; for a known address the email tells
   * its owner instead, and an account that was never confirmed takes the newer password. Throws
   * `validation_failed` (email, password, name), `throttled`.
   */
  signUp(input: { email: string; password: string; name: string }, visitor: Visitor): Promise<void>;
  /**
   * Ends an invitation's sign-up: the token came to the address, so it is confirmed already. Throws
   * `bad_token`, `validation_failed`, `already_exists` where the address has an account by now.
   */
  signUpInvited(
    input: { token: string; password: string; name: string },
    visitor: Visitor,
  ): Promise<SignedIn>;
  /** Whom an invitation's token is for, and whether they have an account; null for a bad token. */
  invited(token: string): Promise<{ email: string; hasAccount: boolean } | null>;
  /** Confirms an address; nobody is signed in by it. Throws `bad_token`. */
  verify(token: string): Promise<{ email: string }>;
  /**
   * Confirms an address with the password that its account was begun with, and signs in: whose
   * address somebody else signed up with can't confirm it for them by mistake. Uses the token up only
   * when all is right. Throws `bad_token`, `invalid_credentials`, `throttled`.
   */
  confirm(input: { token: string; password: string }, visitor: Visitor): Promise<SignedIn>;
  /** Whether a link to confirm would still be taken; uses nothing up. */
  canConfirm(token: string): Promise<boolean>;
  /** Emails the link to confirm again, if there is somebody to confirm. Throws `throttled`. */
  resend(input: { email: string }, visitor: Visitor): Promise<void>;
  /**
   * Throws `throttled`, and `invalid_credentials`, also for the right password of an address that is
   * not confirmed: another answer would tell whoever signs up with an address whether it was known.
   */
  signIn(input: { email: string; password: string }, visitor: Visitor): Promise<SignedIn>;
  signOut(session: UserSession): Promise<void>;
  /** Emails a link to choose a new password, if there is an account. Throws `throttled`. */
  forgot(input: { email: string }, visitor: Visitor): Promise<void>;
  /** Whether a link to choose a password would still be taken; uses nothing up. */
  canReset(token: string): Promise<boolean>;
  /** Sets the password, confirms the address, ends every session. Throws `bad_token`, `validation_failed`. */
  reset(input: { token: string; password: string }): Promise<void>;
  /** Ends every other session. Throws `invalid_credentials`, `validation_failed`, `throttled`. */
  changePassword(
    who: SignedInUser,
    input: { current: string; password: string },
    visitor: Visitor,
  ): Promise<void>;
  sessions(who: SignedInUser): Promise<SessionView[]>;
  /** Ends one of the user's sessions, or all but this one. Throws `not_found`. */
  revokeSession(who: SignedInUser, which: { id: string } | "others"): Promise<void>;
  /** All that is kept about the user, as JSON. */
  exportData(who: SignedInUser): Promise<Record<string, unknown>>;
  /**
   * Removes the account for good. Needs the password where there is one, else a session that began
   * within the last ten minutes. Throws `invalid_credentials`, `forbidden`, `throttled`.
   */
  remove(who: SignedInUser, input: { password: string }, visitor: Visitor): Promise<void>;
}
