import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, realpath, rename, rm, unlink } from "node:fs/promises";
import type { Limits } from "../../../platform/config.ts";
import { type Folder, openFolder, openRegular } from "./folder.ts";
import { assertReadable, assertWritable, pathParts } from "./path-rules.ts";
import { ToolRefusal } from "./refusal.ts";

export interface JailEntry {
  path: string;
  kind: "file" | "folder";
}

/**
 * The only way from a tool to the disk. Paths are relative to the workspace, and links are never
 * followed. Refused operations throw ToolRefusal and change nothing.
 */
export interface Jail {
  /** The normalized path. Throws if it may not be read. */
  resolve(path: string): string;
  /**
   * Reads a UTF-8 text file. `not_a_file` if it contains NUL or isn't UTF-8, `too_large` over
   * `fileBytes`.
   */
  readText(path: string): Promise<string>;
  /** A file's bytes, at most `maxBytes`. */
  readBytes(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Whether a file, a folder, or a link exists at this path. */
  exists(path: string): Promise<boolean>;
  /** Creates or replaces a text file with its parent folders. */
  writeText(path: string, text: string): Promise<void>;
  /** Moves a file to a path where nothing exists. */
  move(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The entries of a folder without links and hidden names, sorted. */
  list(path: string): Promise<JailEntry[]>;
  /** All readable files below a folder, sorted; at most `max` (default 5,000). */
  files(path?: string, max?: number): Promise<string[]>;
}

interface Quota {
  takeFile(path: string): void;
  takeBytes(bytes: number): void;
}

function makeQuota(limits: Limits["workspace"]): Quota {
  const paths = new Set<string>();
  let written = 0;
  return {
    takeFile(path) {
      if (!paths.has(path) && paths.size >= limits.files) {
        throw new ToolRefusal("quota", `A run can write at most ${limits.files} files.`);
      }
      paths.add(path);
    },
    takeBytes(bytes) {
      if (written + bytes > limits.bytes) {
        throw new ToolRefusal("quota", `A run can write at most ${limits.bytes} bytes in total.`);
      }
      written += bytes;
    },
  };
}

function assertText(text: string, path: string, fileBytes: number): number {
  const bytes = Buffer.byteLength(text);
  if (bytes > fileBytes) {
    throw new ToolRefusal(
      "too_large",
      `${path} would be ${bytes} bytes; the limit is ${fileBytes}.`,
    );
  }
  if (text.includes("\0")) throw new ToolRefusal("type", "Text files can't contain NUL.");
  if (text.startsWith("#!")) throw new ToolRefusal("type", "Programs can't be written.");
  if (!text.isWellFormed()) throw new ToolRefusal("type", "This text is not valid Unicode.");
  return bytes;
}

function fileParts(given: string): { parents: string[]; name: string; path: string } {
  const parts = readableParts(given);
  const name = parts.at(-1);
  if (name === undefined) throw new ToolRefusal("not_a_file", "This is the workspace itself.");
  return { parents: parts.slice(0, -1), name, path: parts.join("/") };
}

async function usingFolder<T>(
  root: string,
  parts: readonly string[],
  use: (folder: Folder) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
  const folder = await openFolder(root, parts, options);
  try {
    return await use(folder);
  } catch (error) {
    // The folder, or the file just found in it, was removed in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ToolRefusal("not_found", `${parts.join("/")} is gone.`, { cause: error });
  } finally {
    await folder.close();
  }
}

async function readEntry(folder: Folder, name: string, path: string, maxBytes: number) {
  const { handle, size } = await openRegular(folder, name, path);
  try {
    if (size > maxBytes) {
      throw new ToolRefusal("too_large", `${path} is ${size} bytes; ${maxBytes} can be read.`);
    }
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await handle.read(buffer, 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Not UTF-8; reported below like NUL.
  }
  throw new ToolRefusal("not_a_file", `${path} is not a text file.`);
}

/** The status of a name without following links; undefined if nothing exists. */
async function statEntry(folder: Folder, name: string) {
  return lstat(folder.entry(name)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
}

async function assertReplaceable(folder: Folder, name: string, path: string): Promise<void> {
  const present = await statEntry(folder, name);
  if (present === undefined) return;
  if (present.isSymbolicLink()) throw new ToolRefusal("link", `${path} is a link.`);
  if (!present.isFile()) throw new ToolRefusal("not_a_file", `${path} is not a regular file.`);
}

/** Readers see the old or the new bytes. The rename replaces a name; it never writes through a link. */
async function replaceEntry(folder: Folder, name: string, text: string): Promise<void> {
  const temporary = folder.entry(`.${randomBytes(9).toString("hex")}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, 0o644);
  try {
    await handle.writeFile(text);
    await rename(temporary, folder.entry(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Whether a name found on the disk is one that tools may see. */
function isReadable(parts: readonly string[], name: string): boolean {
  try {
    assertReadable([...parts, ...pathParts(name)]);
    return true;
  } catch (error) {
    if (error instanceof ToolRefusal) return false;
    throw error;
  }
}

async function listFolder(root: string, parts: readonly string[]): Promise<JailEntry[]> {
  const found = await usingFolder(root, parts, (folder) =>
    readdir(folder.entry("."), { withFileTypes: true }),
  );
  return found
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && isReadable(parts, entry.name))
    .map((entry) => ({
      path: [...parts, entry.name].join("/"),
      kind: entry.isDirectory() ? ("folder" as const) : ("file" as const),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(root: string, start: string[], max: number): Promise<string[]> {
  const found: string[] = [];
  const folders: string[][] = [start];
  for (
    let next = folders.shift();
    next !== undefined && found.length < max;
    next = folders.shift()
  ) {
    const entries = await listFolder(root, next).catch((error: unknown) => {
      if (error instanceof ToolRefusal && start.length === 0) return [];
      throw error;
    });
    for (const entry of entries) {
      if (entry.kind === "folder") folders.push(entry.path.split("/"));
      else found.push(entry.path);
    }
  }
  return found.slice(0, max).toSorted();
}

type Reading = Pick<Jail, "resolve" | "readText" | "readBytes" | "exists" | "list" | "files">;
type Writing = Pick<Jail, "writeText" | "move" | "remove">;

function readableParts(given: string): string[] {
  const parts = pathParts(given);
  assertReadable(parts);
  return parts;
}

function writableFile(given: string): ReturnType<typeof fileParts> {
  const file = fileParts(given);
  assertWritable([...file.parents, file.name]);
  return file;
}

function makeReading(home: string, limits: Limits["workspace"]): Reading {
  async function readBytes(given: string, maxBytes: number): Promise<Uint8Array> {
    const { parents, name, path } = fileParts(given);
    return usingFolder(home, parents, (folder) => readEntry(folder, name, path, maxBytes));
  }
  return {
    resolve: (path) => readableParts(path).join("/"),
    readBytes,
    readText: async (path) => decode(await readBytes(path, limits.fileBytes), path),
    async exists(given) {
      const { parents, name } = fileParts(given);
      try {
        return await usingFolder(home, parents, async (folder) =>
          Boolean(await statEntry(folder, name)),
        );
      } catch (error) {
        if (error instanceof ToolRefusal && error.reason === "not_found") return false;
        throw error;
      }
    },
    list: async (path) => listFolder(home, readableParts(path)),
    files: async (path = "", max = 5000) => walk(home, readableParts(path), max),
  };
}

function makeWriting(home: string, limits: Limits["workspace"], reading: Reading): Writing {
  const quota = makeQuota(limits);

  async function writeText(given: string, text: string): Promise<void> {
    const { parents, name, path } = writableFile(given);
    const bytes = assertText(text, path, limits.fileBytes);
    quota.takeFile(path);
    quota.takeBytes(bytes);
    const replace = async (folder: Folder) => {
      await assertReplaceable(folder, name, path);
      await replaceEntry(folder, name, text);
    };
    await usingFolder(home, parents, replace, { create: true });
  }

  async function remove(given: string): Promise<void> {
    const { parents, name, path } = writableFile(given);
    await usingFolder(home, parents, async (folder) => {
      if ((await statEntry(folder, name)) === undefined) {
        throw new ToolRefusal("not_found", `There is no ${path}.`);
      }
      await assertReplaceable(folder, name, path);
      await unlink(folder.entry(name));
    });
  }

  async function move(from: string, to: string): Promise<void> {
    const [source, target] = [writableFile(from), writableFile(to)];
    if (await reading.exists(target.path)) {
      throw new ToolRefusal("exists", `${target.path} already exists.`);
    }
    // Text goes through the same checks and quotas as a write of it.
    await writeText(target.path, await reading.readText(source.path));
    await remove(source.path);
  }

  return { writeText, remove, move };
}

/**
 * Opens the jail of one run.
 * @param root the workspace folder; must exist
 * @param limits the most bytes a file may have, and what the run may write in all
 */
export async function openJail(root: string, limits: Limits["workspace"]): Promise<Jail> {
  const home = await realpath(root);
  const reading = makeReading(home, limits);
  return { ...reading, ...makeWriting(home, limits, reading) };
}
