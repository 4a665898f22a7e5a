import {
  findMediaOfFiles,
  listRestrictedMedia,
  type MediaFilePaths,
} from "../media/restricted-store.ts";
import { filesOf, findMediaBySrc } from "../media/store.ts";
import type { Db } from "../../platform/db/connect.ts";
import { mediaAddresses } from "./gallery.ts";
import type { Project } from "./project.ts";

type ShownTexts = Pick<Project, "gallery" | "body">;

function addFiles(files: Set<string>, media: MediaFilePaths): void {
  for (const src of filesOf(media)) files.add(src);
}

/**
 * The addresses of all files that projects show: named ones with posters and variants. For many
 * projects, pass `among` to look up only these addresses.
 */
export async function filesOfProjects(
  db: Db,
  projects: readonly ShownTexts[],
  among?: ReadonlySet<string>,
): Promise<Set<string>> {
  const named = projects.flatMap(mediaAddresses).filter((src) => among?.has(src) ?? true);
  const files = new Set(named);
  for (const media of (await findMediaBySrc(db, named)).values()) addFiles(files, media);
  return files;
}

/**
 * The addresses of all files that a restricted project shows or has shown; for each stored item all
 * or none.
 */
export async function restrictedFiles(
  db: Db,
  restricted: readonly ShownTexts[],
): Promise<Set<string>> {
  const files = new Set<string>();
  const named = restricted.flatMap(mediaAddresses);
  for (const media of await listRestrictedMedia(db)) addFiles(files, media);
  for (const media of (await findMediaBySrc(db, named)).values()) addFiles(files, media);
  const unknown = named.filter((address) => !files.has(address));
  for (const media of await findMediaOfFiles(db, unknown)) addFiles(files, media);
  for (const address of named) files.add(address);
  return files;
}
