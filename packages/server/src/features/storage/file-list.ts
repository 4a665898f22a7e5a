import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { parseJson } from "../../kit/json.ts";
import { newUlid } from "../../kit/ulid.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { contentMark } from "../release/artifact/file-mark.ts";
import { hashFile } from "../release/artifact/output.ts";
import { tagFileOf } from "../release/source-tags/tag-file.ts";
import type { Blobs, NamedFile } from "./blobs.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A path that stays in its folder. */
const innerPath = z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0]+$/s);

/** The contents of an artifact: its manifest, its tags, and the files by their paths in its folder. */
const listSchema = z.strictObject({
  manifest: sha256,
  tags: sha256.nullable(),
  files: z.record(innerPath, sha256),
});
export type FileList = z.infer<typeof listSchema>;

/** Hashes files; those of the last call by their marks. */
export type Hasher = (paths: readonly string[]) => Promise<Map<string, string>>;

/** Creates a hasher for artifacts that share most of their files by hard links. */
export function makeHasher(): Hasher {
  let known = new Map<string, string>();
  return async (paths) => {
    const next = new Map<string, string>();
    const hashes = new Map<string, string>();
    await mapConcurrently(paths, 8, async (path) => {
      const info = await lstat(path);
      const mark = contentMark(info);
      const hash = known.get(mark) ?? (await hashFile(path, info.size));
      next.set(mark, hash);
      hashes.set(path, hash);
    });
    known = next;
    return hashes;
  };
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Lists the artifact at `dir`, and the files that have its contents. */
export async function listArtifact(
  dir: string,
  hashAll: Hasher,
): Promise<{ list: FileList; contents: NamedFile[] }> {
  const manifest = `${dir}.json`;
  const tags = (await exists(tagFileOf(dir))) ? tagFileOf(dir) : null;
  const paths = await filesIn(dir);
  const hashes = await hashAll([...paths, manifest, ...(tags === null ? [] : [tags])]);
  const hashOf = (path: string) => hashes.get(path) ?? "";
  const list = {
    manifest: hashOf(manifest),
    tags: tags && hashOf(tags),
    files: Object.fromEntries(paths.map((path) => [relative(dir, path), hashOf(path)])),
  };
  return { list, contents: [...hashes].map(([path, name]) => ({ name, path })) };
}

/** A file in `folder` for a moment. */
async function withFile<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, `.new-list-${newUlid(Date.now())}`);
  try {
    return await work(path);
  } finally {
    await removeTree(path);
  }
}

/** Stores a list; `folder` is for a file in between. Returns the name of its content. */
export async function storeList(blobs: Blobs, list: FileList, folder: string): Promise<string> {
  const text = JSON.stringify(list);
  const name = sha256Hex(text);
  await withFile(folder, async (path) => {
    await writeFile(path, text);
    await blobs.put([{ name, path }]);
  });
  return name;
}

/** Reads a stored list. */
export function readList(blobs: Blobs, name: string, folder: string): Promise<FileList> {
  return withFile(folder, async (path) => {
    await blobs.get([{ name, path }]);
    return listSchema.parse(parseJson(await readFile(path, "utf8")));
  });
}
