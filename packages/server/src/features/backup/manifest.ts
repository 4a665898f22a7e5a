import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";

/** The format version that this program writes and the newest one that it reads. */
export const backupFormat = 1;

/**
 * The first and the last entry of a backup, PostgreSQL's dump, and the state of an unfinished
 * import.
 */
export const names = {
  head: "backup.json",
  list: "files.json",
  dump: "database.dump",
  begun: "data/import/begun.json",
};

/** Maximum bytes of one file's line in the list: a path, each character of which may need two. */
const maxListLineBytes = 10_000;
const maxListBytes = 256 * 2 ** 20;

/** Maximum bytes of the list for this many files. */
export function maxListBytesFor(files: number): number {
  return Math.min(maxListBytes, maxListLineBytes * (files + 1));
}

const headSchema = z.strictObject({
  vitrine: z.literal("backup"),
  format: z.literal(backupFormat),
  /** The version of the program that wrote it. */
  version: z.string().max(100),
  createdAt: z.iso.datetime(),
  database: z.enum(["sqlite", "postgres"]),
  /** The applied migrations, in order. */
  migrations: z
    .array(z.strictObject({ name: z.string().max(200), appliedAt: z.string().max(40) }))
    .max(10_000),
  /** The number of the live release; null if there is none. */
  release: z.number().int().positive().nullable(),
  /** The number of files that follow, and their total bytes. */
  files: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
});

const listSchema = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      bytes: z.number().int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** Describes a backup at its beginning. */
export type BackupHead = z.infer<typeof headSchema>;

/**
 * Describes every file; the last entry, because it is complete only after all files are written.
 */
export type BackupList = z.infer<typeof listSchema>;
export type ListedFile = BackupList["files"][number];

/** The error for a file that isn't a backup or is incomplete. */
export function damagedBackupError(why: string, cause?: unknown): AppError {
  return new AppError("validation_failed", `The backup is damaged: ${why}. Nothing was restored.`, {
    cause,
  });
}

export function notABackup(cause?: unknown): AppError {
  return new AppError("validation_failed", "This file isn't a Vitrine backup.", { cause });
}

function parse<T>(schema: z.ZodType<T>, text: string, name: string): T {
  try {
    return schema.parse(parseJson(text));
  } catch (cause) {
    throw damagedBackupError(`${name} can't be read`, cause);
  }
}

/** Reads the head. Throws `validation_failed`, or `unavailable` for a newer format. */
export function readHead(text: string): BackupHead {
  const known = z.object({ vitrine: z.literal("backup"), format: z.number() });
  let found: z.infer<typeof known>;
  try {
    found = known.parse(parseJson(text));
  } catch (cause) {
    throw notABackup(cause);
  }
  if (found.format > backupFormat) {
    const message = `The backup has format ${found.format}, but this version of Vitrine supports only ${backupFormat}. Update Vitrine.`;
    throw new AppError("unavailable", message);
  }
  return parse(headSchema, text, names.head);
}

export function readList(text: string): BackupList {
  return parse(listSchema, text, names.list);
}
