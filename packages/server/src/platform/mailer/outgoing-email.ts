import type { Db } from "../db/connect.ts";

/** What emails are sent for. */
export const emailPurposes = [
  /** A new account's address is to be confirmed. */
  "verify",
  /** A password is to be chosen anew. */
  "reset",
  /** Somebody tried to sign up with an address that has an account. */
  "account_exists",
  /** Something about an account has changed. */
  "notice",
  /** The owner invites somebody to a project. */
  "invite",
  /** A visitor has written to the owner. */
  "contact",
  /** A preview waits for the owner. */
  "preview",
  /** A task waits for the owner, or has come to nothing. */
  "task",
  /** The owner tries out how mail leaves. */
  "test",
] as const;
export type EmailPurpose = (typeof emailPurposes)[number];

/** What an email says, as plain text without markup; one template makes text and HTML of it. */
export interface EmailContent {
  paragraphs: readonly string[];
  /** What somebody else has written, shown as theirs; may have several lines. */
  quote?: string;
  /** The one thing to do: a path of this site, with its query. It becomes absolute by the base URL. */
  action?: { label: string; path: string };
  /** In small letters at the end: why this email came, and what to do if nobody asked for it. */
  footnote?: string;
}

/** A mail to one person. */
export interface OutgoingEmail {
  purpose: EmailPurpose;
  to: string;
  replyTo?: string;
  /** 1–200 characters are kept. */
  subject: string;
  content: EmailContent;
}

/** Where mail is put that is to leave: it survives a crash, and leaves in its own time. */
export interface Outbox {
  /**
   * Keeps an email in the transaction of what it is about, and gives its id. Throws
   * `validation_failed` for an address that is none.
   */
  enqueue(db: Db, email: OutgoingEmail): Promise<number>;
  /** To be called when the transaction is over: what waits leaves at once. */
  wake(): void;
}
