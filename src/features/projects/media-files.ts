import type { Db } from "../../platform/db/connect.ts";
import { listRestrictedMedia, type MediaFiles } from "../media/restricted-store.ts";
import { findMediaBySrc } from "../media/store.ts";
import { mediaAddresses } from "./gallery.ts";
import type { Project } from "./project.ts";

function addFiles(files: Set<string>, { src, poster, variants }: MediaFiles): void {
  files.add(src);
  if (poster !== null) files.add(poster);
  for (const variant of variants) files.add(variant.src);
}

/** The addresses of all files that some project not for everybody shows, or has shown. */
export async function restrictedFiles(
  db: Db,
  restricted: readonly Pick<Project, "gallery" | "body">[],
): Promise<Set<string>> {
  const files = await filesOfProjects(db, restricted);
  for (const media of await listRestrictedMedia(db)) addFiles(files, media);
  return files;
}

/** The addresses of all files that projects show: what they name, with posters and smaller copies. */
export async function filesOfProjects(
  db: Db,
  projects: readonly Pick<Project, "gallery" | "body">[],
): Promise<Set<string>> {
  const named = projects.flatMap(mediaAddresses);
  const files = new Set(named);
  for (const media of (await findMediaBySrc(db, named)).values()) addFiles(files, media);
  return files;
}
