import type { PrivateText } from "../../../kit/private-text.ts";

/** Windows of this many letters (some seven words) are compared; shorter texts only as a whole. */
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

/** An email address, and how it is spelled to be read aloud. */
function spellings(email: string): string[] {
  const [name = "", domain = ""] = email.split("@");
  const aloud = domain.replaceAll(".", " dot ");
  return [email, `${name} at ${aloud}`, `${name.replaceAll(".", " dot ")} at ${aloud}`];
}

function isCode(word: string): boolean {
  return digits(word) >= 3 && /\p{L}/u.test(word);
}

/** Whether a line, shorter than what is compared in windows, says something of its own. */
function isSignificant(line: string, kind: PrivateText["kind"]): boolean {
  const words = line.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join("").length;
  if (words.length >= 3 && letters >= 12 && digits(line) >= 3) return true;
  return kind === "text" && words.length >= 5 && letters >= 24;
}

/** The whole of a short field counts where it is no usual pair of words. */
function isWhole({ kind, text }: PrivateText): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.join("").length;
  if (letters > maxShort) return false;
  if (kind === "name") return letters >= minName;
  return kind === "text" && words.length >= 3 && letters >= 14;
}

/**
 * What of a private text is looked for as a whole, with a word's boundary at both ends: names, email
 * addresses, telephone numbers, code names, and lines such as postal addresses. Ordinary words and
 * short phrases are not among them.
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
