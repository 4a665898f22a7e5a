import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "../../platform/files.ts";
import { type ContentFiles, setupFiles } from "./apply-setup.ts";

/** The files of a content folder that a set-up reads, those that are there. */
export async function readContentFiles(dir: string): Promise<ContentFiles> {
  const files: [string, string][] = [];
  for (const path of setupFiles) {
    const text = await undefinedIfMissing(readFile(join(dir, path), "utf8"));
    if (text !== undefined) files.push([path, text]);
  }
  return Object.fromEntries(files);
}

/** The text of the records that a content folder is shipped with. */
export function readShippedProjects(dir: string): Promise<string> {
  return readFile(join(dir, "database/projects.json"), "utf8");
}
