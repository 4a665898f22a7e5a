import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { makeKeyedMutex } from "../../kit/keyed-mutex.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removeTree } from "../../platform/files.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { makeDurable, putStored, takeStored } from "../release/artifact/content-store.ts";
import { isStored, placeArtifact } from "../release/artifact/stored-artifacts.ts";
import { tagFileOf } from "../release/source-tags/tag-file.ts";
import type { Blobs, NamedFile } from "./blobs.ts";
import { type FileList, listArtifact, makeHasher, readList, storeList } from "./file-list.ts";
import { deleteFiles, findFiles, listFilesBelow, putFiles } from "./store.ts";

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

/** Below this path in `stored_file`, each artifact has a list of its files. */
export const artifactFolder = "artifacts/";
const keptMs = 24 * 60 * 60 * 1000;

interface Filling {
  blobs: Blobs;
  /** What this node has of other artifacts. */
  store: string;
  /** What belongs to the artifact and isn't in its folder. */
  beside: readonly NamedFile[];
}

/** Fills a new folder and gets what is beside it; contents that this node has already are linked. */
async function fill(
  dir: string,
  { files }: FileList,
  { blobs, store, beside }: Filling,
): Promise<void> {
  const folders = new Set(Object.keys(files).map((file) => dirname(join(dir, file))));
  await mkdir(store, { recursive: true });
  for (const one of folders) await mkdir(one, { recursive: true });
  const missing: NamedFile[] = [];
  await mapConcurrently(Object.entries(files), 8, async ([file, name]) => {
    const path = join(dir, file);
    if (!(await takeStored(store, name, path))) missing.push({ name, path });
  });
  // All at once: visitors of this node wait for it, and a request to the store takes its time.
  await blobs.get([...beside, ...missing]);
  await makeDurable(missing.map(({ path }) => path));
  await mapConcurrently(missing, 8, ({ name, path }) => putStored(store, path, name));
}

/** Has the artifact with this list in the folder of a node, completely or not at all. */
async function place(
  { blobs, artifactsDir }: SharedArtifactsDependencies,
  sha: string,
  list: FileList,
): Promise<void> {
  const dir = join(artifactsDir, sha);
  const made = join(artifactsDir, `.new-${process.pid}-${newUlid(Date.now())}`);
  // Not at its place yet: until the artifact is, a cleanup takes it for what a removed one has left.
  const madeTags = `${made}.tags`;
  const tags = list.tags === null ? [] : [{ name: list.tags, path: madeTags }];
  const beside = [{ name: list.manifest, path: `${made}.json` }, ...tags];
  try {
    await fill(made, list, { blobs, store: join(artifactsDir, ".store"), beside });
    const manifest = await readManifest(`${made}.json`);
    if (manifest.sha !== sha) throw new AppError("unavailable", "A stored build is damaged.");
    if (list.tags !== null) await rename(madeTags, tagFileOf(dir));
    await placeArtifact(artifactsDir, { folder: made, manifest });
  } finally {
    await removeTree(made);
    await removeTree(madeTags);
    await removeTree(`${made}.json`);
  }
}

/** Opens the artifacts of an instance for one node. */
export function makeSharedArtifacts(deps: SharedArtifactsDependencies): SharedArtifacts {
  const { db, blobs, artifactsDir } = deps;
  const hashAll = makeHasher();
  const mutex = makeKeyedMutex();

  async function put(sha: string): Promise<void> {
    if ((await findFiles(db, [artifactFolder + sha])).length > 0) return;
    const { list, contents } = await listArtifact(join(artifactsDir, sha), hashAll);
    await blobs.put(contents);
    const blobName = await storeList(blobs, list, artifactsDir);
    await putFiles(db, [{ path: artifactFolder + sha, blobName }]);
  }

  async function get(sha: string): Promise<void> {
    if (await isStored(join(artifactsDir, sha))) return;
    const [found] = await findFiles(db, [artifactFolder + sha]);
    if (found === undefined) throw new AppError("not_found", "This build doesn't exist any more.");
    await mkdir(artifactsDir, { recursive: true });
    await place(deps, sha, await readList(blobs, found.blobName, artifactsDir));
  }

  return {
    put: (sha) => mutex.run(sha, () => put(sha)),
    get: (sha) => mutex.run(sha, () => get(sha)),
    async prune(inUse, now) {
      const old = (await listFilesBelow(db, artifactFolder)).filter(({ path, updatedAt }) => {
        return (
          !inUse.has(path.slice(artifactFolder.length)) && now - Date.parse(updatedAt) > keptMs
        );
      });
      await deleteFiles(
        db,
        old.map(({ path }) => path),
      );
    },
    async contents() {
      const names = new Set<string>();
      for (const { blobName } of await listFilesBelow(db, artifactFolder)) {
        const { manifest, tags, files } = await readList(blobs, blobName, artifactsDir);
        for (const name of [manifest, tags, ...Object.values(files)]) if (name) names.add(name);
      }
      return names;
    },
  };
}
