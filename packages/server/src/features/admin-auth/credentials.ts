import { AppError } from "../../kit/errors.ts";
import { randomToken, sha256Hex } from "../../kit/hash.ts";
import { maxPasswordBytes } from "./hasher.ts";

/** 43 letters, digits, `-`, and `_` carry 256 bits (RFC 4648, section 5). */
const random43 = "[A-Za-z0-9_-]{43}";
const linkToken = new RegExp(`^vl_${random43}$`);
const apiToken = new RegExp(`^vit_${random43}$`);
const sessionId = new RegExp(`^${random43}$`);

/** A new secret for the sign-in link: `vl_` and 256 random bits. */
export function newLinkToken(): string {
  return `vl_${randomToken()}`;
}

export function isLinkToken(text: string): boolean {
  return linkToken.test(text);
}

/**
 * The text that bcrypt hashes for a link token: its SHA-256 in hex, which fits into bcrypt's 72
 * bytes.
 */
export function linkTokenDigest(token: string): string {
  return sha256Hex(token);
}

/** A new bearer token: `vit_` and 256 random bits. */
export function newApiToken(): string {
  return `vit_${randomToken()}`;
}

export function isApiToken(text: string): boolean {
  return apiToken.test(text);
}

export function newSessionId(): string {
  return randomToken();
}

export function isSessionId(text: string): boolean {
  return sessionId.test(text);
}

/**
 * Normalizes a password before comparing: the same characters have one form, whatever keyboard
 * typed them.
 */
export function normalPassword(password: string): string {
  return password.normalize("NFC");
}

const minPasswordCharacters = 8;

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/**
 * Checks a new password: at least 8 characters, at most 72 bytes of UTF-8, no control characters.
 * Throws `validation_failed`.
 */
export function checkNewPassword(password: string): void {
  const bytes = Buffer.byteLength(normalPassword(password));
  const problem =
    bytes > maxPasswordBytes
      ? `is ${bytes} bytes long; the maximum is ${maxPasswordBytes}`
      : [...password].length < minPasswordCharacters
        ? `must be at least ${minPasswordCharacters} characters`
        : hasControlCharacter(password)
          ? "must not contain control characters"
          : null;
  if (problem === null) return;
  throw new AppError("validation_failed", `The password ${problem}.`, {
    fields: { password: problem },
  });
}
