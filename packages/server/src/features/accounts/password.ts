import { AppError } from "../../kit/errors.ts";
import { commonPasswords, type IsCommonPassword } from "./common-passwords.ts";

/** Limits of a password's length in characters (code points). */
export const passwordLength = { least: 10, most: 256 };

/** The owner of a password, which must not consist of their names or address. */
export interface PasswordOwner {
  email: string;
  name: string;
  siteName: string;
}

/**
 * Normalizes a password before hashing and comparing: texts that look the same are the same,
 * whatever keyboard typed them.
 */
export function normalPassword(password: string): string {
  return password.normalize("NFKC");
}

/**
 * Normalizes an entered password for comparison. One that is too long to be valid isn't normalized.
 */
export function normalizeForComparison(password: string): string {
  return password.length > 4 * passwordLength.most ? "" : normalPassword(password);
}

/** Neighboring keys and the alphabet: sequences of them are easy to guess. */
const rows =
  "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl; zxcvbnm,./ qwertzuiop yxcvbnm azertyuiop qsdfghjklm wxcvbn 1qaz2wsx3edc4rfv5tgb6yhn7ujm".split(
    " ",
  );
const reversedToo = rows.flatMap((row) => [row, Array.from(row).toReversed().join("")]);

/** How long the text continues from `start` as a repeated character or a sequence. */
function runLength(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] === text[start]) end += 1;
  let maxLength = end - start;
  for (const row of reversedToo) {
    let length = maxLength + 1;
    while (start + length <= text.length && row.includes(text.slice(start, start + length))) {
      maxLength = length;
      length += 1;
    }
  }
  return maxLength;
}

/**
 * Whether a text consists almost entirely of runs of three or more: `aaaabcdefg`, `qwerty123456!`.
 */
function isRuns(text: string): boolean {
  let outside = 0;
  for (let at = 0; at < text.length;) {
    const length = runLength(text, at);
    if (length < 3) outside += length;
    at += length;
  }
  return outside * 5 <= text.length;
}

/** Whether a text is a shorter one repeated. */
function isRepeated(text: string): boolean {
  return text.length > 1 && `${text}${text}`.indexOf(text, 1) < text.length;
}

function withoutFringe(text: string): string {
  return text.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
}

/** Whether the text is on the list, with or without surrounding digits and punctuation. */
function isOnList(text: string, isCommon: IsCommonPassword): boolean {
  const stem = withoutFringe(text);
  return isCommon(text) || (stem !== "" && isCommon(stem));
}

/** The words of an address and the names, longest first. */
function ownWords({ email, name, siteName }: PasswordOwner): string[] {
  const [local = "", domain = ""] = email.split("@");
  const whole = [email, local, domain, name, siteName].map((text) => normalPassword(text));
  const words = whole.flatMap((text) =>
    [text, text.replace(/[^\p{L}]+/gu, "")].concat(text.split(/[^\p{L}]+/u)),
  );
  return [...new Set(words.map((word) => word.toLowerCase()))]
    .filter((word) => word.length >= 2)
    .toSorted((a, b) => b.length - a.length);
}

function containsOwnWord(text: string, owner: PasswordOwner): boolean {
  const rest = ownWords(owner).reduce((left, word) => left.replaceAll(word, " "), text);
  return rest !== text && !/\p{L}/u.test(rest);
}

async function problemOf(password: string, owner: PasswordOwner): Promise<string | null> {
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) {
    return "must not contain control characters";
  }
  const length = Array.from(password).length;
  const { least, most: limit } = passwordLength;
  if (length < least) return `must be at least ${least} characters`;
  if (length > limit) return `must be at most ${limit} characters`;
  const text = password.toLowerCase();
  if (containsOwnWord(text, owner))
    return "contains little besides your address, your name or this site's name";
  if (isRepeated(text)) return "repeats the same characters";
  if (isRuns(text)) return "is only a sequence of characters";
  if (isOnList(text, await commonPasswords())) {
    return "is one of the most common passwords";
  }
  return null;
}

/**
 * Returns the normalized form of a new password. Throws `validation_failed` with the reason in
 * `fields[field]`: its length in code points, or that it is easy to guess.
 */
export async function checkNewPassword(password: string, owner: PasswordOwner): Promise<string> {
  // The normalized form can be many times as long, so much too long passwords are refused first.
  const normal = password.length > 4 * passwordLength.most ? password : normalPassword(password);
  const problem = await problemOf(normal, owner);
  if (problem === null) return normal;
  throw new AppError("validation_failed", `The password ${problem}.`, {
    fields: { password: problem },
  });
}
