import { hash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SourcePlace } from "./tag-astro.ts";

// The tags of a build's pages, stored next to them: one line of JSON with the source files and the
// tags, then a line for each page. Pages are identified by content, so an entry can't be about
// other bytes. The file comes from the sandbox: everything read from it is validated.

/** Where a build writes it: dotfiles of an output aren't part of the site. */
export const tagFileName = ".source-tags";

const keyLength = 24;
const maxBytes = 32 * 2 ** 20;
const maxMarks = 50_000;

/** The key of a page: the prefix of its SHA-256 in hex. */
export function pageKey(sha256: string): string {
  return sha256.slice(0, keyLength);
}

/** The files that carry tags: by tag, from 0, the number of its file, its line and its column. */
export interface TaggedFiles {
  files: string[];
  tags: number[];
}

/** Collects the content of a tag file. */
export interface TagFileWriter {
  /** Adds a file's tags, numbered from the returned number. */
  addFile(file: string, places: readonly SourcePlace[]): number;
  addPage(content: Uint8Array, marks: readonly number[]): void;
  places(): TaggedFiles;
  text(): string;
}

/** Begins a tag file, with the files that are tagged already if there are any. */
export function makeTagFileWriter(tagged: TaggedFiles = { files: [], tags: [] }): TagFileWriter {
  const files = [...tagged.files];
  const tags = [...tagged.tags];
  const pages: string[] = [];
  return {
    addFile(file, places) {
      const first = tags.length / 3;
      for (const { line, column } of places) tags.push(files.length, line, column);
      files.push(file);
      return first;
    },
    addPage(content, marks) {
      pages.push(`${pageKey(hash("sha256", content, "hex"))} ${marks.join(",")}\n`);
    },
    places: () => ({ files, tags }),
    text: () => `${JSON.stringify({ files, tags })}\n${pages.join("")}`,
  };
}

async function readRegular(path: string): Promise<Buffer | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= maxBytes ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}

/**
 * The tag file of an artifact or a release in this folder: next to it, where nothing is served
 * from.
 */
export function tagFileOf(dir: string): string {
  return `${dir}.tags`;
}

/**
 * Stores the tag file that a build left in `outDir` for the artifact in `dir`, or removes an older
 * one, whose lines may differ. Pages work without tags, so nothing is synced.
 */
export async function keepTagFile(outDir: string, dir: string): Promise<void> {
  const target = tagFileOf(dir);
  const content = await readRegular(`${outDir}/${tagFileName}`);
  if (content === undefined) return rm(target, { force: true });
  const name = `.new-${process.pid}-${randomBytes(6).toString("hex")}-tags`;
  const temporary = join(dirname(dir), name);
  await writeFile(temporary, content, { mode: 0o644 });
  await rename(temporary, target);
}

const sourceFile = /^app\/src\/[^\p{Cc}"&<>\\]{1,280}\.astro$/u;

function readHeader(text: string): TaggedFiles | undefined {
  const { files, tags } = Object(JSON.parse(text)) as Partial<TaggedFiles>;
  if (!Array.isArray(files) || !Array.isArray(tags)) return undefined;
  const sound =
    files.every((file) => typeof file === "string" && sourceFile.test(file)) &&
    tags.every((value) => Number.isInteger(value) && value >= 0 && value <= 1_000_000);
  return sound ? { files, tags } : undefined;
}

/** A tag in a page: the number of bytes before it, and its source. */
export interface PageTag {
  at: number;
  /** `app/src/components/Header.astro:12:5`. */
  source: string;
}

function readMarks(line: string, { files, tags }: TaggedFiles): PageTag[] | undefined {
  const marks = line.split(",").map(Number);
  if (marks.length > maxMarks) return undefined;
  const found: PageTag[] = [];
  let at = 0;
  for (let index = 0; index + 1 < marks.length; index += 2) {
    at += marks[index] ?? Number.NaN;
    const tag = marks[index + 1] ?? Number.NaN;
    const [file, row, column] = tags.slice(tag * 3, tag * 3 + 3);
    const name = files[file ?? -1];
    if (!Number.isSafeInteger(at) || name === undefined || !row || !column) return undefined;
    found.push({ at, source: `${name}:${row}:${column}` });
  }
  return found;
}

/** The tags of one page in an artifact's or release's tag file; none if the file is invalid. */
export async function readPageTags(dir: string, sha256: string): Promise<PageTag[]> {
  const content = await readRegular(tagFileOf(dir));
  if (content === undefined) return [];
  const key = `\n${pageKey(sha256)} `;
  const start = content.indexOf(key, 0, "latin1");
  if (start < 0) return [];
  try {
    const header = readHeader(content.toString("utf8", 0, content.indexOf("\n")));
    const end = content.indexOf("\n", start + 1);
    const line = content.toString("latin1", start + key.length, end < 0 ? content.length : end);
    return (header && readMarks(line, header)) ?? [];
  } catch {
    return [];
  }
}
