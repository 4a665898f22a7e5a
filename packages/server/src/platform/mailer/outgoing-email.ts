import type { Db } from "../db/connect.ts";

/** The purposes of emails. */
export const emailPurposes = [
  /** Confirms a new account's address. */
  "verify",
  /** Lets a user choose a new password. */
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
  /** A task waits for the owner, or has failed. */
  "task",
  /** The owner tests how email is sent. */
  "test",
] as const;
export type EmailPurpose = (typeof emailPurposes)[number];

/** The content of an email as plain text; one template renders text and HTML. */
export interface EmailContent {
  paragraphs: readonly string[];
  /** A quotation of somebody else, possibly several lines. */
  quote?: string;
  /** The call to action: a path of this site with its query, made absolute with the base URL. */
  action?: { label: string; path: string };
  /** Small print at the end: why this email was sent, and what to do if nobody asked for it. */
  footnote?: string;
}

/** An email to one recipient. */
export interface OutgoingEmail {
  purpose: EmailPurpose;
  to: string;
  replyTo?: string;
  /** Limited to 200 characters. */
  subject: string;
  content: EmailContent;
}

/** Accepts emails for sending: they survive a crash and are sent in the background. */
export interface Outbox {
  /**
   * Stores an email in the transaction of what it is about and returns its ID. Throws
   * `validation_failed` for an invalid address.
   */
  enqueue(db: Db, email: OutgoingEmail): Promise<number>;
  /** Call after the transaction: sends waiting emails immediately. */
  wake(): void;
}
