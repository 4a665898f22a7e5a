import { cleanText } from "../../../kit/text.ts";

/** The longest part of a file's name that its owner's name for it makes up, in characters. */
const slugLength = 40;
/** The longest name that is kept for the owner to read, in characters. */
const nameLength = 255;
/** How much of the content's hash begins a stored file's name, in hex digits. */
const hashLength = 12;

/** What is kept of the name that a file came with: its last part, without control characters. */
export function keptName(name: string): string {
  const last = cleanText(name.slice(-4 * nameLength).replace(/^.*[/\\]/s, ""));
  // By whole characters: a pair cut in two is no text.
  return [...last].slice(0, nameLength).join("").toWellFormed() || "untitled";
}

/** `Ünï Photo (2).JPG` → `uni-photo-2`; `file` where nothing is left. ASCII, at most 40 characters. */
function slugOf(name: string): string {
  const ascii = keptName(name)
    .replace(/\.[^.]*$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9\s._-]/g, "");
  const slug = ascii.replace(/[^a-z0-9]+/g, "-").slice(0, slugLength);
  return slug.replace(/^-+|-+$/g, "") || "file";
}

/**
 * What the names of all files of an item begin with: made here from the content and only coloured by
 * the name that the file came with, so that no name reaches the file system.
 */
export function stemFor(sha256: string, name: string): string {
  return `${sha256.slice(0, hashLength)}-${slugOf(name)}`;
}
