import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "../../platform/files.ts";
import { type ContentFiles, setupFiles } from "./apply-setup.ts";

/** The existing files of a content folder that the setup reads. */
export async function readContentFiles(dir: string): Promise<ContentFiles> {
  const files: [string, string][] = [];
  for (const path of setupFiles) {
    const text = await undefinedIfMissing(readFile(join(dir, path), "utf8"));
    if (text !== undefined) files.push([path, text]);
  }
  return Object.fromEntries(files);
}

/** The text of the shipped records. */
export function readShippedProjects(dir: string): Promise<string> {
  return readFile(join(dir, "database/projects.json"), "utf8");
}
