import { AppError } from "../../kit/errors.ts";
import { commonPasswords, type IsCommonPassword } from "./common-passwords.ts";

/** Characters (code points) of a password. */
export const passwordLength = { least: 10, most: 256 };

/** Who a password is for; it must consist of nothing of theirs. */
export interface PasswordOwner {
  email: string;
  name: string;
  siteName: string;
}

/** A password as it is hashed and compared: what looks the same is the same, whatever typed it. */
export function normalPassword(password: string): string {
  return password.normalize("NFKC");
}

/**
 * A password that somebody says is theirs, as it is compared. One that is too long to have been set
 * is none, and not worth the work of its normal form.
 */
export function normalizeForComparison(password: string): string {
  return password.length > 4 * passwordLength.most ? "" : normalPassword(password);
}

/** Neighbors on a keyboard and in the alphabet; a row of them is as quickly tried as typed. */
const rows =
  "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl; zxcvbnm,./ qwertzuiop yxcvbnm azertyuiop qsdfghjklm wxcvbn 1qaz2wsx3edc4rfv5tgb6yhn7ujm".split(
    " ",
  );
const reversedToo = rows.flatMap((row) => [row, Array.from(row).toReversed().join("")]);

/** How far from `start` the text goes on as one character, or as a row. */
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

/** Whether a text is hardly more than runs of three and more: `aaaabcdefg`, `qwerty123456!`. */
function isRuns(text: string): boolean {
  let outside = 0;
  for (let at = 0; at < text.length;) {
    const length = runLength(text, at);
    if (length < 3) outside += length;
    at += length;
  }
  return outside * 5 <= text.length;
}

/** Whether a text is a shorter one said twice and more. */
function isRepeated(text: string): boolean {
  return text.length > 1 && `${text}${text}`.indexOf(text, 1) < text.length;
}

function withoutFringe(text: string): string {
  return text.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
}

/** The list knows it as it is, or without the digits and signs that people put around a word. */
function isOnList(text: string, isCommon: IsCommonPassword): boolean {
  const stem = withoutFringe(text);
  return isCommon(text) || (stem !== "" && isCommon(stem));
}

/** The words that an address and the names consist of, the longest first. */
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
  if (containsOwnWord(text, owner)) return "is made of your address, your name or this site's name";
  if (isRepeated(text)) return "repeats itself";
  if (isRuns(text)) return "is only a row of characters";
  if (isOnList(text, await commonPasswords())) {
    return "is one of the passwords that are tried first";
  }
  return null;
}

/**
 * Gives the normal form of a password that is to be set. Throws `validation_failed` with what is
 * wrong in `fields[field]`: its length in code points, or that it is guessed at once.
 */
export async function checkNewPassword(password: string, owner: PasswordOwner): Promise<string> {
  // Its normal form may be many times as long; what is far too long is not worth the work.
  const normal = password.length > 4 * passwordLength.most ? password : normalPassword(password);
  const problem = await problemOf(normal, owner);
  if (problem === null) return normal;
  throw new AppError("validation_failed", `The password ${problem}.`, {
    fields: { password: problem },
  });
}
