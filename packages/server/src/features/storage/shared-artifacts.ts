import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { parseJson } from "../../kit/json.ts";
import { makeKeyedMutex } from "../../kit/keyed-mutex.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { makeDurable, putStored, takeStored } from "../release/artifact/content-store.ts";
import { contentMark } from "../release/artifact/file-mark.ts";
import { hashFile } from "../release/artifact/output.ts";
import { isStored, placeArtifact } from "../release/artifact/stored-artifacts.ts";
import { tagFileOf } from "../release/source-tags/tag-file.ts";
import type { Blobs } from "./blobs.ts";
import { deleteFiles, findFiles, listFilesBelow, putFiles } from "./store.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The files of an artifact by their paths in its folder, and beside it what describes it. */
const listSchema = z.strictObject({
  manifest: sha256,
  tags: sha256.nullable(),
  files: z.record(z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0]+$/), sha256),
});
type FileList = z.infer<typeof listSchema>;

/** Below this path in `stored_file`, each artifact has a list of its files. */
const folder = "artifacts/";

/** Artifacts that every node can have. */
export interface SharedArtifacts {
  /** Stores an artifact of this node, so that others can get it; durable once this resolves. */
  put(sha: string): Promise<void>;
  /** Has the artifact in this node's folder. Throws `not_found` if no node has stored it. */
  get(sha: string): Promise<void>;
  /** Removes all but those in `inUse` that were stored more than a day ago. */
  prune(inUse: ReadonlySet<string>, now: number): Promise<void>;
  /** The names of the contents of all artifacts. */
  contents(): Promise<Set<string>>;
}

export interface SharedArtifactsDependencies {
  db: Db;
  blobs: Blobs;
  /** Where this node has its artifacts. */
  artifactsDir: string;
}

const keptMs = 24 * 60 * 60 * 1000;

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
}

/** Hashes files, those with a known mark by it. */
function makeHasher() {
  let known = new Map<string, string>();
  return async (paths: readonly string[]): Promise<Map<string, string>> => {
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

/** Opens the artifacts of an instance for one node. */
export function makeSharedArtifacts({
  db,
  blobs,
  artifactsDir,
}: SharedArtifactsDependencies): SharedArtifacts {
  const hashAll = makeHasher();
  const mutex = makeKeyedMutex();
  const store = join(artifactsDir, ".store");

  async function readList(blobName: string): Promise<FileList> {
    const path = join(artifactsDir, `.list-${newUlid(Date.now())}`);
    try {
      await mkdir(artifactsDir, { recursive: true });
      await blobs.get([{ name: blobName, path }]);
      return listSchema.parse(parseJson(await readFile(path, "utf8")));
    } finally {
      await removeTree(path);
    }
  }

  async function put(sha: string): Promise<void> {
    const [known] = await findFiles(db, [folder + sha]);
    if (known) return;
    const dir = join(artifactsDir, sha);
    const tags = (await exists(tagFileOf(dir))) ? tagFileOf(dir) : null;
    const manifest = `${dir}.json`;
    const paths = await filesIn(dir);
    const hashes = await hashAll([...paths, manifest, ...(tags === null ? [] : [tags])]);
    const hashOf = (path: string) => hashes.get(path) ?? "";
    const list: FileList = {
      manifest: hashOf(manifest),
      tags: tags && hashOf(tags),
      files: Object.fromEntries(paths.map((path) => [relative(dir, path), hashOf(path)])),
    };
    const text = JSON.stringify(list);
    const listFile = join(artifactsDir, `.list-${newUlid(Date.now())}`);
    const listName = sha256Hex(text);
    try {
      await writeFile(listFile, text);
      const contents = [...hashes].map(([path, name]) => ({ name, path }));
      await blobs.put([...contents, { name: listName, path: listFile }]);
    } finally {
      await removeTree(listFile);
    }
    await putFiles(db, [{ path: folder + sha, blobName: listName }]);
  }

  /** Fills a new folder; contents that this node has already are linked. */
  async function fill(dir: string, { files }: FileList): Promise<void> {
    const folders = new Set(Object.keys(files).map((file) => dirname(join(dir, file))));
    await mkdir(store, { recursive: true });
    for (const one of folders) await mkdir(one, { recursive: true });
    const missing: { name: string; path: string }[] = [];
    await mapConcurrently(Object.entries(files), 8, async ([file, name]) => {
      const path = join(dir, file);
      if (!(await takeStored(store, name, path))) missing.push({ name, path });
    });
    await blobs.get(missing);
    await makeDurable(missing.map(({ path }) => path));
    await mapConcurrently(missing, 8, ({ name, path }) => putStored(store, path, name));
  }

  async function get(sha: string): Promise<void> {
    const dir = join(artifactsDir, sha);
    if (await isStored(dir)) return;
    const [found] = await findFiles(db, [folder + sha]);
    if (found === undefined) throw new AppError("not_found", "This build doesn't exist any more.");
    const list = await readList(found.blobName);
    const made = join(artifactsDir, `.new-${process.pid}-${newUlid(Date.now())}`);
    try {
      await fill(made, list);
      await blobs.get([{ name: list.manifest, path: `${made}.json` }]);
      if (list.tags !== null) await blobs.get([{ name: list.tags, path: tagFileOf(dir) }]);
      const manifest = await readManifest(`${made}.json`);
      if (manifest.sha !== sha) throw new AppError("unavailable", "A stored build is damaged.");
      await placeArtifact(artifactsDir, { folder: made, manifest });
    } finally {
      await removeTree(made);
      await removeTree(`${made}.json`);
    }
  }

  return {
    put: (sha) => mutex.run(sha, () => put(sha)),
    get: (sha) => mutex.run(sha, () => get(sha)),
    async prune(inUse, now) {
      const all = await listFilesBelow(db, folder);
      const old = all.filter(({ path, updatedAt }) => {
        return !inUse.has(path.slice(folder.length)) && now - Date.parse(updatedAt) > keptMs;
      });
      await deleteFiles(
        db,
        old.map(({ path }) => path),
      );
    },
    async contents() {
      const names = new Set<string>();
      for (const { blobName } of await listFilesBelow(db, folder)) {
        const { manifest, tags, files } = await readList(blobName);
        for (const name of [manifest, tags, ...Object.values(files)]) if (name) names.add(name);
      }
      return names;
    },
  };
}
