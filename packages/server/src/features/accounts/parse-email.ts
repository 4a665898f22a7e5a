import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";
import { isEmailAddress } from "../../platform/mailer/email.ts";

const maxNameLength = 120;

function refuse(field: string, problem: string): AppError {
  return new AppError("validation_failed", `Check the following: ${field}.`, {
    fields: { [field]: problem },
  });
}

/**
 * Normalizes an email address: trimmed, lowercase. Throws `validation_failed` for an invalid one,
 * including control characters.
 */
export function parseEmail(text: string): string {
  const address = text.replace(/^ +| +$/g, "");
  if (!isEmailAddress(address)) throw refuse("email", "isn't an email address");
  return address.toLowerCase();
}

/** Normalizes a person's name; it may be empty. Throws `validation_failed`. */
export function parseName(text: string): string {
  if (/\p{Cc}/u.test(text)) throw refuse("name", "must not contain control characters");
  const name = cleanText(text);
  if (name.length > maxNameLength)
    throw refuse("name", `must be at most ${maxNameLength} characters`);
  return name;
}
