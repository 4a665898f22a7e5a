import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import {
  contentType,
  type Manifest,
  type ManifestFile,
  urlPathOf,
} from "../../packages/server/src/features/release/artifact/artifact.ts";

/** A site in a folder with its manifest, as the review of changes compares them. */
export interface ReviewedSite {
  dir: string;
  manifest: Manifest;
}

/** What becomes of files, by their paths below the folder: new text, or null for none. */
export type FileEdits = Readonly<
  Record<string, string | Buffer | null | ((text: string) => string)>
>;

function entryOf(file: string, body: string | Buffer): ManifestFile {
  const bytes = Buffer.from(body);
  const type = contentType(file);
  return { file, hash: sha256Hex(bytes), bytes: bytes.length, type, encodings: {} };
}

/** The site that lies in a folder. */
export async function siteIn(dir: string): Promise<ReviewedSite> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const files: Manifest["files"] = {};
  for (const path of paths.toSorted()) {
    const file = path.slice(dir.length + 1);
    files[urlPathOf(file)] = entryOf(file, await readFile(path));
  }
  return { dir, manifest: { sha: dir, pages: 0, bytes: 0, files } };
}

/** The site with files changed; in `dir` are those only, for nothing else of it is read. */
export async function changedSite(
  live: ReviewedSite,
  dir: string,
  edits: FileEdits,
): Promise<ReviewedSite> {
  const files = { ...live.manifest.files };
  for (const [file, edit] of Object.entries(edits)) {
    if (edit === null) {
      delete files[urlPathOf(file)];
      continue;
    }
    const body =
      typeof edit === "function" ? edit(await readFile(join(live.dir, file), "utf8")) : edit;
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), body);
    files[urlPathOf(file)] = entryOf(file, body);
  }
  return { dir, manifest: { ...live.manifest, sha: dir, files } };
}
