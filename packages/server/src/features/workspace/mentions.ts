import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { mainRef, type Repository } from "./git.ts";
import { listFiles } from "./tree-files.ts";

/** Where a site's source can mention stored media. */
const places = ["app/src", "brand"];

/** Larger files are images and fonts, not source. */
const maxBytes = 2 * 1024 * 1024;

/** The files of the site's source, relative to content/, that contain any of these texts. */
export async function filesMentioning(
  contentDir: string,
  texts: readonly string[],
): Promise<string[]> {
  const wanted = texts.map((text) => Buffer.from(text));
  const files = (await listFiles(contentDir, places)).filter((file) => file.problem === null);
  const found = await mapConcurrently(files, 8, async ({ path }) => {
    const bytes = await readFile(join(contentDir, path)).catch(() => null);
    if (bytes === null || bytes.length > maxBytes) return null;
    return wanted.some((text) => bytes.includes(text)) ? path : null;
  });
  return found.filter((path) => path !== null);
}

/**
 * The same in the committed `main`: until a killed publish is completed, the files of content/ are
 * older.
 */
export async function committedMentioning(
  repository: Pick<Repository, "git">,
  texts: readonly string[],
): Promise<string[]> {
  const patterns = texts.flatMap((text) => ["-e", text]);
  const options = ["-l", "-z", "--fixed-strings", ...patterns];
  const { stdout } = await repository.git(["grep", ...options, mainRef, "--", ...places], {
    exitCodes: [0, 1],
  });
  return stdout
    .split("\0")
    .filter(Boolean)
    .map((name) => name.slice(mainRef.length + 1));
}
