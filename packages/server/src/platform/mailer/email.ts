import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";

/** An email to one recipient, as it is sent. */
export interface Email {
  to: string;
  subject: string;
  text: string;
  html?: string;
  replyTo?: string;
  /** `<…@…>` (RFC 5322, section 3.6.4): the same for every attempt. */
  messageId?: string;
}

/**
 * A service that sends email over HTTP. `generic` gets `{from, to, subject, text, replyTo}` as
 * JSON.
 */
export interface HttpTransport {
  provider: "resend" | "postmark" | "mailgun" | "brevo" | "generic";
  key: string;
  /** Replaces the provider's own address; required for `generic`. */
  url: string | null;
  /** The sending domain, part of Mailgun's address. */
  domain: string | null;
}

export interface SmtpTransport {
  host: string;
  port: number;
  /**
   * TLS from the first byte; otherwise, STARTTLS is used if the server offers it, and required with
   * a password, except on this machine.
   */
  secure: boolean;
  user: string | null;
  password: string | null;
}

/** How email is sent, in the order of attempts; with neither, it is only logged. */
export interface EmailTransports {
  /** An address, or `Name <address>`. */
  from: string;
  http: HttpTransport | null;
  smtp: SmtpTransport | null;
}

const address = z.email().max(254);

/** Whether a text is one plain email address. */
export function isEmailAddress(text: string): boolean {
  return address.safeParse(text).success;
}

/** The name and address in `Name <address>`. */
export function parseSender(from: string): { name: string; email: string } {
  const [, name = "", email = from] = /^\s*(?:"?([^"<>]*)"?\s*)?<([^<>]+)>\s*$/.exec(from) ?? [];
  return { name: name.trim(), email: email.trim() };
}

const maxSubjectLength = 200;

/** A subject on one line, at most 200 characters, which can't inject headers. */
export function cleanSubject(subject: string): string {
  return cleanText(cleanText(subject, { multiline: true }).replaceAll(/\s+/g, " "))
    .slice(0, maxSubjectLength)
    .toWellFormed();
}

/**
 * An email without anything that could inject headers. Throws `validation_failed` for invalid
 * addresses.
 */
export function validateEmail<M extends Email>(email: M): M {
  for (const [field, value] of Object.entries({ to: email.to, replyTo: email.replyTo })) {
    if (value === undefined || isEmailAddress(value)) continue;
    throw new AppError("validation_failed", "This isn't an email address.", {
      fields: { [field]: "isn't an email address" },
    });
  }
  const text = cleanText(email.text, { multiline: true });
  return { ...email, subject: cleanSubject(email.subject), text };
}
