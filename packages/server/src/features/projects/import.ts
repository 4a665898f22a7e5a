import { readFile } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseInputJson } from "../../kit/json.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { altLength, focalPoint, nameLength } from "../media/schema.ts";
import { restrictMedia } from "../media/restricted-store.ts";
import { findMediaBySrc, insertMedia, type Media } from "../media/store.ts";
import { mediaAddresses } from "./gallery.ts";
import { mediaSrc, projectSchema, projectSlug } from "./project.ts";
import { deleteRedirect, findIdBySlug, writeRedirect } from "./slug-store.ts";
import { insertProject, writeUses } from "./store.ts";

const bytes = z.number().int().min(0);
const pixels = z.number().int().min(1);

const time = z.iso.datetime().transform((text) => isoTime(Date.parse(text)));

const mediaSchema = z.strictObject({
  kind: z.enum(["image", "video"]),
  src: mediaSrc,
  originalName: z.string().min(1).max(nameLength),
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
  alt: z.string().max(altLength).default(""),
  isDecorative: z.boolean().default(false),
  focalPoint: focalPoint.default({ x: 50, y: 50 }),
  createdAt: time.optional(),
  /** Whether a restricted project has shown it. */
  restricted: z.boolean().default(false),
});

const times = { createdAt: time.optional(), updatedAt: time.optional() };

const recordsSchema = z.strictObject({
  media: z.array(mediaSchema),
  projects: z.array(projectSchema.extend(times)),
  redirects: z.array(z.strictObject({ slug: projectSlug, project: projectSlug })).default([]),
});

type Records = z.infer<typeof recordsSchema>;

/** How many new records were imported. */
export interface ImportResult {
  media: number;
  projects: number;
}

function fault(path: string, message: string, fields = { [path]: message }): AppError {
  return new AppError("validation_failed", `Records, ${path}: ${message}. Nothing was imported.`, {
    fields,
  });
}

function readRecords(json: string): Records {
  const result = recordsSchema.safeParse(parseInputJson(json));
  if (!result.success) {
    const issues = result.error.issues.map(
      ({ path, message }) => [path.join("."), message] as const,
    );
    const [path, message] = issues[0] ?? ["", ""];
    throw fault(path, message, Object.fromEntries(issues));
  }
  const slugs = new Set(result.data.projects.map((project) => project.slug));
  for (const [index, { slug, project }] of result.data.redirects.entries()) {
    if (slugs.has(slug)) throw fault(`redirects.${index}.slug`, `a project has the slug ${slug}`);
    if (!slugs.has(project))
      throw fault(`redirects.${index}.project`, `${project} isn't a project`);
  }
  return result.data;
}

async function importMedia(db: Db, media: Records["media"], at: string): Promise<number> {
  const stored = new Set<string>();
  for (const { restricted: _, ...item } of media) {
    if (await insertMedia(db, { ...item, createdAt: item.createdAt ?? at })) stored.add(item.src);
  }
  const restricted = media.filter((item) => item.restricted && stored.has(item.src));
  const rows = await findMediaBySrc(
    db,
    restricted.map((item) => item.src),
  );
  await restrictMedia(
    db,
    Array.from(rows.values(), (item) => item.id),
  );
  return stored.size;
}

function assertMediaExist(projects: Records["projects"], media: ReadonlyMap<string, Media>): void {
  for (const [index, project] of projects.entries()) {
    const place = project.gallery.findIndex((item) => !media.has(item.src));
    const src = project.gallery[place]?.src;
    if (src === undefined) continue;
    throw fault(`projects.${index}.gallery.${place}.src`, `${src} is not a stored file`);
  }
}

/** Returns the IDs of the new projects by their slugs. */
async function importProjects(
  db: Db,
  projects: Records["projects"],
  at: string,
): Promise<Map<string, number>> {
  const media = await findMediaBySrc(db, projects.flatMap(mediaAddresses));
  assertMediaExist(projects, media);
  const ids = new Map<string, number>();
  for (const { createdAt = at, updatedAt = createdAt, ...project } of projects) {
    const id = await insertProject(db, project, { createdAt, updatedAt });
    if (id === null) continue;
    const used = mediaAddresses(project).flatMap((src) => media.get(src)?.id ?? []);
    await writeUses(db, id, used);
    if (project.audience !== "everyone") await restrictMedia(db, used);
    await deleteRedirect(db, project.slug);
    ids.set(project.slug, id);
  }
  return ids;
}

async function importRedirects(
  db: Db,
  redirects: Records["redirects"],
  context: { ids: ReadonlyMap<string, number>; at: string },
): Promise<void> {
  for (const { slug, project } of redirects) {
    const projectId = context.ids.get(project);
    // Existing projects keep their own redirects, and an address of a project stays its own.
    if (projectId === undefined || (await findIdBySlug(db, slug)) !== null) continue;
    await writeRedirect(db, { slug, projectId, at: context.at });
  }
}

/**
 * Imports the records of `json`, an output of `exportRecords`: all or nothing. Existing media (by
 * file) and projects (by slug) stay unchanged. Throws `malformed_json` or `validation_failed` with
 * the path of the error.
 */
export async function importRecords(
  db: Db,
  records: { json: string; now: number },
): Promise<ImportResult> {
  const { media, projects, redirects } = readRecords(records.json);
  const at = isoTime(records.now);
  return db.transaction().execute(async (transaction) => {
    const stored = await importMedia(transaction, media, at);
    const ids = await importProjects(transaction, projects, at);
    await importRedirects(transaction, redirects, { ids, at });
    return { media: stored, projects: ids.size };
  });
}

/** The same from a file. Throws `not_found` if there is none. */
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
