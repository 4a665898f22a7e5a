import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { listFiles } from "./tree-files.ts";

/** Where a site's source may name stored media. */
const places = ["app/src", "brand"];

/** Larger files are pictures and fonts, not source. */
const mostBytes = 2 * 1024 * 1024;

/** The files of the site's source, below content/, that hold any of these texts. */
export async function filesMentioning(
  contentDir: string,
  texts: readonly string[],
): Promise<string[]> {
  const wanted = texts.map((text) => Buffer.from(text));
  const files = (await listFiles(contentDir, places)).filter((file) => file.problem === null);
  const found = await mapConcurrently(files, 8, async ({ path }) => {
    const bytes = await readFile(join(contentDir, path)).catch(() => null);
    if (bytes === null || bytes.length > mostBytes) return null;
    return wanted.some((text) => bytes.includes(text)) ? path : null;
  });
  return found.filter((path) => path !== null);
}
