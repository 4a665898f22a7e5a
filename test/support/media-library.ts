import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pino from "pino";
import type { VideoConverter } from "../../packages/server/src/features/media/video/video-converter.ts";
import {
  type ImageWorkers,
  makeImageWorkers,
} from "../../packages/server/src/features/media/image/workers.ts";
import {
  makeMediaLibrary,
  type MediaLibrary,
  type MediaLibraryOptions,
} from "../../packages/server/src/features/media/library/library.ts";
import { defaultLimits, type Limits } from "../../packages/server/src/platform/config.ts";
import type { Database } from "../../packages/server/src/platform/db/connect.ts";
import { type InstancePaths, instancePaths } from "../../packages/server/src/platform/paths.ts";
import { fakeClock } from "./clock.ts";
import { makeTestDatabase } from "./database.ts";
import { sharedImageWorkers } from "./image-workers.ts";
import { tempFolder } from "./temp.ts";

export const silentLog = pino({ level: "silent" });

/** A placeholder for tests that need only images. */
export const noVideos: VideoConverter = {
  state: { available: false, reason: "no films in this test" },
  convert: () => Promise.reject(new Error("no films in this test")),
  close: () => Promise.resolve(),
};

/** A file as the upload route passes it on: below the uploads folder, with its hash. */
export async function receivedFile(uploads: string, data: Uint8Array, originalName = "picture") {
  await mkdir(uploads, { recursive: true });
  const file = join(uploads, `received-${randomBytes(6).toString("hex")}`);
  await writeFile(file, data);
  const sha256 = createHash("sha256").update(data).digest("hex");
  return { file, originalName, bytes: data.length, sha256, alt: "" };
}

/** All files below a folder by relative path, in order; empty if there is no folder. */
export async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .toSorted();
}

export interface TestLibrary extends AsyncDisposable {
  library: MediaLibrary;
  images: ImageWorkers;
  database: Database;
  databaseFile: string;
  paths: InstancePaths;
  /** The calls of `onChange`. */
  changes: string[];
  /** Receives and ingests. */
  add(
    data: Uint8Array,
    options?: { name?: string; alt?: string; signal?: AbortSignal },
  ): ReturnType<MediaLibrary["ingest"]>;
  /** The stored files, relative to content/app/public/media. */
  stored(): Promise<string[]>;
}

/**
 * A library with its own database and folders; its clock starts in January 2026. It shares the image
 * workers unless it has other limits.
 */
export async function makeTestLibrary(
  options: { limits?: Partial<Limits["media"]> } & Partial<
    Omit<MediaLibraryOptions, "limits">
  > = {},
): Promise<TestLibrary> {
  const { limits: changed, ...over } = options;
  const folder = await tempFolder();
  const test = await makeTestDatabase();
  const paths = instancePaths(folder.path);
  await mkdir(paths.content, { recursive: true });
  await mkdir(paths.uploads, { recursive: true });
  const limits = { ...defaultLimits.media, ...changed };
  const makeOwn = () =>
    makeImageWorkers({ limits, log: silentLog, dir: join(folder.path, "data/images") });
  const images = over.images ?? (changed === undefined ? sharedImageWorkers() : makeOwn());
  const changes: string[] = [];
  const library = makeMediaLibrary({
    db: test.database.db,
    clock: fakeClock(),
    log: silentLog,
    paths,
    videos: noVideos,
    onChange: async (_transaction, reason) => void changes.push(reason),
    usesOf: async () => ({ projects: [], files: [], runs: [] }),
    onAddressChange: async () => {},
    ...over,
    limits,
    images,
  });
  return {
    library,
    images,
    database: test.database,
    databaseFile: test.file,
    paths,
    changes,
    async add(data, { name = "picture", alt = "", signal } = {}) {
      const received = await receivedFile(paths.uploads, data, name);
      return library.ingest({ ...received, alt, ...(signal ? { signal } : {}) });
    },
    stored: () => filesBelow(join(paths.content, "app/public/media")),
    async [Symbol.asyncDispose]() {
      await library.close();
      await test.cleanup();
      await folder.remove();
    },
  };
}
