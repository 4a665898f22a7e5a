import { readFile } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMediaBySrc, insertMedia } from "../media/store.ts";
import { mediaSrc, projectSchema } from "./project.ts";
import { insertProject } from "./store.ts";

const bytes = z.number().int().min(0);
const pixels = z.number().int().min(1);

const time = z.iso.datetime().transform((text) => isoTime(Date.parse(text)));

const mediaSchema = z.strictObject({
  kind: z.enum(["image", "video"]),
  src: mediaSrc,
  originalName: z.string().min(1).max(255),
  mime: z.string().regex(/^(image|video)\/[a-z0-9.+-]+$/),
  bytes,
  originalBytes: bytes,
  width: pixels,
  height: pixels,
  duration: z.number().positive().nullable().default(null),
  hasAlpha: z.boolean().default(false),
  animated: z.boolean().default(false),
  poster: mediaSrc.nullable().default(null),
  placeholder: z.string().max(4000).nullable().default(null),
  variants: z.array(z.strictObject({ src: mediaSrc, width: pixels, bytes })).default([]),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  alt: z.string().max(300).default(""),
  createdAt: time.optional(),
});

const times = { createdAt: time.optional(), updatedAt: time.optional() };

const recordsSchema = z.strictObject({
  media: z.array(mediaSchema),
  projects: z.array(projectSchema.extend(times)),
});

export interface ImportResult {
  media: number;
  projects: number;
}

function readRecords(json: string): z.infer<typeof recordsSchema> {
  const result = recordsSchema.safeParse(parseJson(json));
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => [issue.path.join("."), issue.message] as const);
  const [path, message] = issues[0] ?? ["", ""];
  throw new AppError("validation_failed", `Records, ${path}: ${message}. Nothing was imported.`, {
    fields: Object.fromEntries(issues),
  });
}

async function assertMediaKnown(db: Db, srcs: string[]): Promise<void> {
  const known = await findMediaBySrc(db, srcs);
  const unknown = srcs.find((src) => !known.has(src));
  if (unknown === undefined) return;
  throw new AppError(
    "validation_failed",
    `Records: a gallery names ${unknown}, which is not a stored file. Nothing was imported.`,
  );
}

/**
 * Brings in the records of `json`, `{media, projects}`: all or nothing. What is there already, media
 * by file and projects by slug, stays as it is. Throws `malformed_json` or `validation_failed` with
 * the path of what is wrong. Gives the numbers of new records.
 */
export async function importRecords(
  db: Db,
  records: { json: string; now: number },
): Promise<ImportResult> {
  const { media, projects } = readRecords(records.json);
  const at = isoTime(records.now);
  return db.transaction().execute(async (transaction) => {
    const imported = { media: 0, projects: 0 };
    for (const item of media) {
      if (await insertMedia(transaction, { ...item, createdAt: item.createdAt ?? at })) {
        imported.media += 1;
      }
    }
    await assertMediaKnown(
      transaction,
      projects.flatMap((project) => project.gallery.map((item) => item.src)),
    );
    for (const { createdAt = at, updatedAt = createdAt, ...project } of projects) {
      if (await insertProject(transaction, project, { createdAt, updatedAt })) {
        imported.projects += 1;
      }
    }
    return imported;
  });
}

/** The same from a file. Throws `not_found` when there is none. */
export async function importRecordsFile(
  db: Db,
  records: { file: string; now: number },
): Promise<ImportResult> {
  const { file, now } = records;
  const json = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new AppError("not_found", `The records ${file} can't be read.`, { cause });
  });
  return importRecords(db, { json, now });
}
