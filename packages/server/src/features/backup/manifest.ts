import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";

/** The form of a backup that this program writes and the newest that it reads. */
export const backupFormat = 1;

/** What comes first in a backup, what last, where PostgreSQL's rows are and what an import has begun. */
export const names = {
  head: "backup.json",
  list: "files.json",
  dump: "database.dump",
  begun: "data/import/begun.json",
};

/** What the list takes for a file at most, in bytes: a path, each sign of which may need two. */
const maxListLineBytes = 10_000;
const maxListBytes = 256 * 2 ** 20;

/** How long the list of so many files may be, in bytes. */
export function maxListBytesFor(files: number): number {
  return Math.min(maxListBytes, maxListLineBytes * (files + 1));
}

const headSchema = z.strictObject({
  vitrine: z.literal("backup"),
  format: z.literal(backupFormat),
  /** Of the program that wrote it. */
  version: z.string().max(100),
  createdAt: z.iso.datetime(),
  database: z.enum(["sqlite", "postgres"]),
  /** The schema's level: what was applied, in its order. */
  migrations: z
    .array(z.strictObject({ name: z.string().max(200), appliedAt: z.string().max(40) }))
    .max(10_000),
  /** The number of the live release; null where there was none. */
  release: z.number().int().positive().nullable(),
  /** How many files follow, and how much they are in bytes. */
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

/** Says what a backup is, before anything of it comes. */
export type BackupHead = z.infer<typeof headSchema>;

/** Says of every file what it has to be; the last entry, for it is known when all are written. */
export type BackupList = z.infer<typeof listSchema>;
export type ListedFile = BackupList["files"][number];

/** A file that is no backup, or no whole one. */
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

/** Reads the head. Throws `validation_failed`, or `unavailable` for a backup of a newer form. */
export function readHead(text: string): BackupHead {
  const known = z.object({ vitrine: z.literal("backup"), format: z.number() });
  let found: z.infer<typeof known>;
  try {
    found = known.parse(parseJson(text));
  } catch (cause) {
    throw notABackup(cause);
  }
  if (found.format > backupFormat) {
    const message = `The backup has form ${found.format}, and this program knows ${backupFormat}. Update the program.`;
    throw new AppError("unavailable", message);
  }
  return parse(headSchema, text, names.head);
}

export function readList(text: string): BackupList {
  return parse(listSchema, text, names.list);
}
