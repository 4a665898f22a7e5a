import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";

/** One mail to one person, as it leaves. */
export interface Email {
  to: string;
  subject: string;
  text: string;
  html?: string;
  replyTo?: string;
  /** `<…@…>` (RFC 5322, section 3.6.4): the same each time that this email is sent. */
  messageId?: string;
}

/** A service that takes mail over HTTP. `generic` takes `{from, to, subject, text, replyTo}` as JSON. */
export interface HttpTransport {
  provider: "resend" | "postmark" | "mailgun" | "brevo" | "generic";
  key: string;
  /** In place of the provider's own address; what `generic` is sent to. */
  url: string | null;
  /** The sending domain, which Mailgun's address carries. */
  domain: string | null;
}

export interface SmtpTransport {
  host: string;
  port: number;
  /** TLS from the first byte; without it STARTTLS is used where the server offers it. */
  secure: boolean;
  user: string | null;
  password: string | null;
}

/** How mail leaves, in the order in which it is tried; with neither it is only logged. */
export interface EmailTransports {
  /** An address, or `Name <address>`. */
  from: string;
  http: HttpTransport | null;
  smtp: SmtpTransport | null;
}

const address = z.email().max(254);

/** Whether a text is one plain mail address. */
export function isEmailAddress(text: string): boolean {
  return address.safeParse(text).success;
}

/** Name and address of `Name <address>`. */
export function parseSender(from: string): { name: string; email: string } {
  const [, name = "", email = from] = /^\s*(?:"?([^"<>]*)"?\s*)?<([^<>]+)>\s*$/.exec(from) ?? [];
  return { name: name.trim(), email: email.trim() };
}

const maxSubjectLength = 200;

/** A subject in one line, 200 characters at most, that can't become a header of its own. */
export function cleanSubject(subject: string): string {
  return cleanText(cleanText(subject, { multiline: true }).replaceAll(/\s+/g, " "))
    .slice(0, maxSubjectLength)
    .toWellFormed();
}

/**
 * An email without anything that could become a header of its own. Throws `validation_failed` for
 * addresses that are none.
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
