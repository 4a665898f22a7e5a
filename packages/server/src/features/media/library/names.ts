import { cleanText } from "../../../kit/text.ts";
import { nameLength } from "../schema.ts";

/** Maximum characters of a stored file's name that come from its original name. */
const slugLength = 40;
/** The hash prefix at the beginning of a stored file's name, in hex digits. */
const hashLength = 12;

/**
 * The original file name as shown to the owner: the last part of a path without control characters,
 * at most `nameLength` characters; `untitled` if nothing is left.
 */
export function sanitizeOriginalName(name: string): string {
  const parts = cleanText(name).split(/[/\\]/);
  const last = parts.findLast((part) => part.trim() !== "") ?? "untitled";
  // Truncating may split a character of two units.
  const cut = last.trim().slice(0, nameLength);
  return cut.replace(/[\uD800-\uDBFF]$/, "").trim();
}

/** `Ünï Photo (2).JPG` → `uni-photo-2`; `file` if nothing is left. ASCII, at most 40 characters. */
function slugOf(name: string): string {
  const ascii = sanitizeOriginalName(name)
    .replace(/\.[^.]*$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9\s._-]/g, "");
  const slug = ascii.replace(/[^a-z0-9]+/g, "-").slice(0, slugLength);
  return slug.replace(/^-+|-+$/g, "") || "file";
}

/**
 * The beginning of all file names of an item. It is derived from the content, and only a sanitized
 * form of the original name is appended, so that no name from outside reaches the file system.
 */
export function stemFor(sha256: string, name: string): string {
  return `${sha256.slice(0, hashLength)}-${slugOf(name)}`;
}
