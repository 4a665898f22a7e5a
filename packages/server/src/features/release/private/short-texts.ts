import type { PrivateText } from "../../../kit/private-text.ts";

/** Windows of this many letters (about seven words) are compared; shorter texts only as a whole. */
export const windowLength = 36;

const minName = 4;
const maxShort = 400;

const emails = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,6}/gu;
const phones =
  /(?<![\d.])(?:\+|\(?0)[\d\s()./-]{6,24}\d(?!\d)|(?<!\d)\d{3}[-. ]\d{3}[-. ]\d{4}(?!\d)/g;
/** What nobody writes by chance: order numbers, code names with digits. */
const codes = /[\p{L}\p{N}][\p{L}\p{N}_-]{8,78}[\p{L}\p{N}]/gu;

function digits(text: string): number {
  return text.replace(/\D/g, "").length;
}

/** An email address, and ways to write it out. */
function spellings(email: string): string[] {
  const [name = "", domain = ""] = email.split("@");
  const aloud = domain.replaceAll(".", " dot ");
  return [email, `${name} at ${aloud}`, `${name.replaceAll(".", " dot ")} at ${aloud}`];
}

function isCode(word: string): boolean {
  return digits(word) >= 3 && /\p{L}/u.test(word);
}

/** Whether a line that is shorter than a window is distinctive. */
function isSignificant(line: string, kind: PrivateText["kind"]): boolean {
  const words = line.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join("").length;
  if (words.length >= 3 && letters >= 12 && digits(line) >= 3) return true;
  return kind === "text" && words.length >= 5 && letters >= 24;
}

/** A short field counts as a whole unless it is an ordinary pair of words. */
function isWhole({ kind, text }: PrivateText): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join("").length;
  if (letters > maxShort) return false;
  if (kind === "name") return letters >= minName;
  return kind === "text" && words.length >= 3 && letters >= 14;
}

/**
 * The parts of a private text that are searched as whole words: names, email addresses, telephone
 * numbers, code names, and lines such as postal addresses. Excludes ordinary words and short
 * phrases.
 */
export function shortTexts(given: PrivateText): string[] {
  const { text, kind } = given;
  const found = isWhole(given) ? [text] : [];
  for (const [email] of text.matchAll(emails)) found.push(...spellings(email));
  for (const [phone] of text.matchAll(phones)) if (digits(phone) >= 7) found.push(phone);
  if (kind !== "message") {
    for (const [word] of text.matchAll(codes)) if (isCode(word)) found.push(word);
  }
  if (kind !== "name") {
    for (const line of text.split(/\n|[.!?]\s/)) {
      if (line.length <= maxShort && isSignificant(line, kind)) found.push(line);
    }
  }
  return found;
}
