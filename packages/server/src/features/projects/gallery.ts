import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMediaBySrc, type Media } from "../media/store.ts";
import type { Project } from "./project.ts";

type Gallery = Project["gallery"];

/** Whether a regular file exists, without a symlink on the way from `root`. */
async function isPlainFile(root: string, src: string): Promise<boolean> {
  const file = join(root, src);
  try {
    return (await realpath(file)) === file && (await lstat(file)).isFile();
  } catch {
    return false;
  }
}

/** The addresses of a gallery without a regular file below `mediaRoot`. */
export async function findMissingFiles(mediaRoot: string, gallery: Gallery): Promise<Set<string>> {
  const root = await realpath(mediaRoot).catch(() => mediaRoot);
  const srcs = [...new Set(gallery.map((item) => item.src))];
  const found = await mapConcurrently(srcs, 8, (src) => isPlainFile(root, src));
  return new Set(srcs.filter((_src, index) => !found[index]));
}

/**
 * Throws `validation_failed` with the positions of gallery items that aren't stored or whose file
 * is missing.
 */
export function assertStored(
  gallery: Gallery,
  stored: ReadonlyMap<string, Media>,
  missingFiles: ReadonlySet<string> = new Set(),
): void {
  const fields: Record<string, string> = {};
  for (const [index, { src }] of gallery.entries()) {
    if (stored.has(src) && !missingFiles.has(src)) continue;
    fields[`gallery.${index}.src`] = "must name a stored file";
  }
  const wrong = Object.keys(fields);
  if (wrong.length === 0) return;
  throw new AppError("validation_failed", `Check the following: ${wrong.join(", ")}.`, { fields });
}

/** The media of a gallery by address. Throws the errors of `assertStored`. */
export async function galleryMedia(
  db: Db,
  gallery: Gallery,
  missingFiles?: ReadonlySet<string>,
): Promise<Map<string, Media>> {
  const media = await findMediaBySrc(
    db,
    gallery.map((item) => item.src),
  );
  assertStored(gallery, media, missingFiles);
  return media;
}

const addressInText = /\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+/g;

/** The media addresses in a project's body, including duplicates. */
export function bodyAddresses({ body }: Pick<Project, "body">): string[] {
  return body.match(addressInText) ?? [];
}

/** The media addresses that a project shows in its gallery and body. */
export function mediaAddresses(project: Pick<Project, "gallery" | "body">): string[] {
  return [...project.gallery.map((item) => item.src), ...bodyAddresses(project)];
}
