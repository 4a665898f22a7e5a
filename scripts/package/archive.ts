import { createWriteStream, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { packTar } from "modern-tar/fs";

/** The time that `npm pack` gives to files as well, so that the same files make the same archive. */
const mtime = new Date("1985-10-26T08:15:00Z");

/**
 * Packs all files of a laid-out npm package into the archive `to`, as `npm pack` would for a quarter
 * of the processor time: it reads every dependency's package.json, and packs what's already selected.
 */
export async function packArchive(folder: string, to: string): Promise<void> {
  const entries = globSync("**/*", { cwd: folder, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sources = files
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((source) => ({
      type: "file" as const,
      source,
      target: join("package", source.slice(folder.length)),
      mode: statSync(source).mode & 0o100 ? 0o755 : 0o644,
      mtime,
    }));
  await pipeline(packTar(sources), createGzip(), createWriteStream(to));
}
