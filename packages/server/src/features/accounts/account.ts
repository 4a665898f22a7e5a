/** A user with an account. Times are ISO 8601 UTC. */
export interface User {
  id: number;
  /** Lowercase. */
  email: string;
  /** May be empty. */
  name: string;
  /** Whether the user has confirmed the address. Rights granted to an address need this. */
  verified: boolean;
  /** False for a user who signs in only with a provider. */
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
  /** `password`, `invite`, or a provider's ID. */
  method: string;
  ip: string;
  userAgent: string;
}

/** The client that sent a request. */
export interface Visitor {
  /** The canonical IP address, for records. */
  address: string;
  /** The key under which limits count. */
  bucket: string;
  /** Never throttled. */
  trusted: boolean;
  userAgent: string;
}

/** A new session; `cookieValue` is not stored anywhere else. */
export interface SignedIn {
  user: User;
  session: UserSession;
  cookieValue: string;
}

/** The user and session that a request belongs to. */
export interface SignedInUser {
  user: User;
  session: UserSession;
}

/** A session as shown to its user; `id` identifies it but can't be used to sign in. */
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
 * Operations on accounts, for the JSON API and the pages. Neither responses nor response times
 * reveal whether an address is known.
 */
export interface Accounts {
  /**
   * Creates an account and emails a link to confirm its address. If the address is known, its owner
   * gets a notice instead; an account that was never confirmed takes the new password. Throws
   * `validation_failed` (email, password, name), `throttled`.
   */
  signUp(input: { email: string; password: string; name: string }, visitor: Visitor): Promise<void>;
  /**
   * Completes sign-up from an invitation. The token was sent to the address, so the address counts
   * as confirmed. Throws `bad_token`, `validation_failed`, `already_exists` if the address has an
   * account by now.
   */
  signUpInvited(
    input: { token: string; password: string; name: string },
    visitor: Visitor,
  ): Promise<SignedIn>;
  /**
   * The address an invitation's token is for, and whether it has an account; null for a bad token.
   */
  invited(token: string): Promise<{ email: string; hasAccount: boolean } | null>;
  /** Confirms an address without signing in. Throws `bad_token`. */
  verify(token: string): Promise<{ email: string }>;
  /**
   * Confirms an address with the password chosen at sign-up, and signs in. This keeps people from
   * accidentally confirming an account that somebody else created with their address. Uses up the
   * token only on success. Throws `bad_token`, `invalid_credentials`, `throttled`.
   */
  confirm(input: { token: string; password: string }, visitor: Visitor): Promise<SignedIn>;
  /** Whether a confirmation link is still valid; doesn't use it up. */
  canConfirm(token: string): Promise<boolean>;
  /**
   * Sends the confirmation link again if the address has an unconfirmed account. Throws
   * `throttled`.
   */
  resend(input: { email: string }, visitor: Visitor): Promise<void>;
  /**
   * Throws `throttled`, and `invalid_credentials`, also for the right password of an unconfirmed
   * address: a different error would reveal whether an address was known to anybody who signs up
   * with it.
   */
  signIn(input: { email: string; password: string }, visitor: Visitor): Promise<SignedIn>;
  signOut(session: UserSession): Promise<void>;
  /** Emails a link to choose a new password if the address has an account. Throws `throttled`. */
  forgot(input: { email: string }, visitor: Visitor): Promise<void>;
  /** Whether a password reset link is still valid; doesn't use it up. */
  canReset(token: string): Promise<boolean>;
  /**
   * Sets the password, confirms the address, and ends all sessions. Throws `bad_token`,
   * `validation_failed`.
   */
  reset(input: { token: string; password: string }): Promise<void>;
  /**
   * Changes the password and ends all other sessions. Throws `invalid_credentials`,
   * `validation_failed`, `throttled`.
   */
  changePassword(
    who: SignedInUser,
    input: { current: string; password: string },
    visitor: Visitor,
  ): Promise<void>;
  sessions(who: SignedInUser): Promise<SessionView[]>;
  /** Ends one of the user's sessions, or all except the current one. Throws `not_found`. */
  revokeSession(who: SignedInUser, which: { id: string } | "others"): Promise<void>;
  /** All stored data about the user, as JSON. */
  exportData(who: SignedInUser): Promise<Record<string, unknown>>;
  /**
   * Deletes the account permanently. Needs the password if there is one, otherwise a session that
   * started within the last ten minutes. Throws `invalid_credentials`, `forbidden`, `throttled`.
   */
  remove(who: SignedInUser, input: { password: string }, visitor: Visitor): Promise<void>;
}
