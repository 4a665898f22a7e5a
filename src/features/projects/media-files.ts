import type { Db } from "../../platform/db/connect.ts";
import { findMediaBySrc } from "../media/store.ts";
import { mediaAddresses } from "./gallery.ts";
import type { Project } from "./project.ts";

/** The addresses of all files that projects show: what they name, with posters and smaller copies. */
export async function filesOfProjects(
  db: Db,
  projects: readonly Pick<Project, "gallery" | "body">[],
): Promise<Set<string>> {
  const named = projects.flatMap(mediaAddresses);
  const files = new Set(named);
  for (const { poster, variants } of (await findMediaBySrc(db, named)).values()) {
    if (poster !== null) files.add(poster);
    for (const { src } of variants) files.add(src);
  }
  return files;
}
