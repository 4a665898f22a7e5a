import { cleanText } from "../../../kit/text.ts";
import { nameLength } from "../schema.ts";

/** The longest part of a file's name that its owner's name for it makes up, in characters. */
const slugLength = 40;
/** How much of the content's hash begins a stored file's name, in hex digits. */
const hashLength = 12;

/**
 * What is kept, for the owner to read, of the name that a file came with: the last part of a path,
 * without control characters, at most `nameLength` characters; `untitled` where nothing is left.
 */
export function sanitizeOriginalName(name: string): string {
  const parts = cleanText(name).split(/[/\\]/);
  const last = parts.findLast((part) => part.trim() !== "") ?? "untitled";
  // A cut may go through a character of two units.
  const cut = last.trim().slice(0, nameLength);
  return cut.replace(/[\uD800-\uDBFF]$/, "").trim();
}

/** `Ünï Photo (2).JPG` → `uni-photo-2`; `file` where nothing is left. ASCII, at most 40 characters. */
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
 * What the names of all files of an item begin with: made here from the content and only colored by
 * the name that the file came with, so that no name reaches the file system.
 */
export function stemFor(sha256: string, name: string): string {
  return `${sha256.slice(0, hashLength)}-${slugOf(name)}`;
}
