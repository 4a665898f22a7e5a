import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { storeArtifact } from "../../../packages/server/src/features/release/artifact/artifact-store.ts";
import {
  BuildFailed,
  type SiteBuilder,
} from "../../../packages/server/src/features/release/builder/build.ts";
import { requestRebuild } from "../../../packages/server/src/features/release/rebuild-requests.ts";
import {
  makeRebuilder,
  type Rebuilder,
  type RebuilderDependencies,
} from "../../../packages/server/src/features/release/rebuild.ts";
import type {
  Snapshot,
  SnapshotProject,
} from "../../../packages/server/src/features/release/snapshot.ts";
import { sha256Hex } from "../../../packages/server/src/kit/hash.ts";
import { mediaFolder } from "../../../packages/server/src/features/workspace/content-paths.ts";
import { systemClock } from "../../../packages/server/src/kit/clock.ts";
import type { Db } from "../../../packages/server/src/platform/db/connect.ts";
import type { InstancePaths } from "../../../packages/server/src/platform/paths.ts";
import { silentLog, type TestInstance } from "./publish-instance.ts";

/** Records of the simplest kind, in a table of their own: the rebuild knows them by their export. */
export async function makeRecords(db: Db): Promise<void> {
  await sql`create table if not exists sample_record (name text primary key, text text not null, published integer not null)`.execute(
    db,
  );
}

interface SampleRecord {
  name: string;
  text: string;
  published: number;
}

async function readRecords(db: Db): Promise<SampleRecord[]> {
  const { rows } = await sql<SampleRecord>`select * from sample_record order by name`.execute(db);
  return rows;
}

/** Saves a record and asks for a rebuild, as every feature does: both or neither. */
export async function saveRecord(
  db: Db,
  record: { name: string; text: string; published?: boolean },
  now = Date.now(),
): Promise<void> {
  const { name, text, published = true } = record;
  await db.transaction().execute(async (transaction) => {
    await sql`insert into sample_record values (${name}, ${text}, ${published ? 1 : 0}) on conflict (name) do update set text = excluded.text, published = excluded.published`.execute(
      transaction,
    );
    await requestRebuild(transaction, { reason: `${name} was saved`, now });
  });
}

export async function exportSample(db: Db): Promise<string> {
  return `${JSON.stringify(await readRecords(db), null, 2)}\n`;
}

async function snapshotOf(db: Db): Promise<Snapshot> {
  const published = (await readRecords(db)).filter((record) => record.published === 1);
  const projects = published.map(({ name, text }) => ({ slug: name, summary: text }));
  return {
    site: { baseUrl: "http://localhost", ownerName: "Ada", timeZone: "UTC" },
    projects: projects as SnapshotProject[],
    changelog: [],
    redirects: [],
  };
}

export interface SampleBuilder extends SiteBuilder {
  builds: number;
  /** Awaited in each build, once sources and records are read. */
  during: () => Promise<void>;
  /** What the site's share images say, and how many a build in the background draws at most. */
  images: string[];
  maxImages: number;
  /** Of the last build. */
  signal: AbortSignal | undefined;
}

/** Writes the images that are live and as many new ones as a build may draw, as real builds do. */
async function writeImages(
  outDir: string,
  { current }: InstancePaths,
  { images, max }: { images: string[]; max: number },
): Promise<{ published: Set<string>; max: number }> {
  const published = new Set(await readdir(join(current, "og")).catch(() => []));
  const names = images.map((text) => `${sha256Hex(text).slice(0, 32)}.png`);
  const drawn = new Set(names.filter((name) => !published.has(name)).slice(0, max));
  await mkdir(join(outDir, "og"), { recursive: true });
  for (const name of names) {
    if (published.has(name) || drawn.has(name)) await writeFile(join(outDir, "og", name), name);
  }
  return { published, max };
}

/**
 * Builds a home page of the sources and the records' texts; the word BROKEN doesn't build. For tests
 * whose subject isn't the build: artifacts are stored for real, media linked into them.
 */
export function sampleBuilder(paths: InstancePaths): SampleBuilder {
  const builder: SampleBuilder = {
    tier: "none",
    reason: null,
    memory: "watched",
    builds: 0,
    during: async () => {},
    images: [],
    maxImages: 64,
    signal: undefined,
    async build({ sourceDir, snapshot, mediaDir, withheld, signal, isInBackground }) {
      builder.builds += 1;
      builder.signal = signal;
      const home = await readFile(join(sourceDir, "app/src/pages/index.astro"), "utf8");
      const about = await readFile(join(sourceDir, "app/src/pages/about.astro"), "utf8");
      const records = snapshot.projects.map(({ slug, summary }) => `<p>${slug}: ${summary}</p>\n`);
      await builder.during();
      signal?.throwIfAborted();
      const page = `${home}${records.join("")}`;
      if (page.includes("BROKEN")) throw new BuildFailed(["index.astro:1:1 BROKEN is no tag."], "");
      const outDir = join(paths.builders, `${process.pid}-${builder.builds}`);
      await mkdir(join(outDir, "about"), { recursive: true });
      await writeFile(join(outDir, "index.html"), page);
      await writeFile(join(outDir, "about/index.html"), about);
      const max = isInBackground ? builder.maxImages : 4;
      const shareImages = await writeImages(outDir, paths, { images: builder.images, max });
      const bounds = { bytes: 2 ** 20, files: 100 };
      const artifactsDir = paths.artifacts;
      const artifact = await storeArtifact({
        outDir,
        mediaDir,
        artifactsDir,
        bounds,
        shareImages,
        ...(withheld && { withheld }),
      });
      return { ...artifact, reusedCode: false, durationMs: 1 };
    },
    tidy: async () => {},
    prepare: () => {},
    verifiedFiles: () => undefined,
    compileCode: async () => {},
    waitUntilWarm: async () => {},
    close: async () => {},
  };
  return builder;
}

/** A rebuilder of the sample instance that waits for nothing. */
export function sampleRebuilder(
  instance: TestInstance,
  builder: SiteBuilder,
  more: Partial<RebuilderDependencies> = {},
): Rebuilder {
  const { repository, publisher, paths } = instance;
  const { db } = instance.database;
  return makeRebuilder({
    db,
    repository,
    publisher,
    paths,
    builder,
    clock: systemClock,
    log: silentLog,
    records: async () => ({ snapshot: await snapshotOf(db), withheld: new Set() }),
    exportRecords: () => exportSample(db),
    mediaDir: join(paths.content, mediaFolder),
    ownerName: "Ada",
    debounceMs: 0,
    ...more,
  });
}

/** Stores a file as the media library does: whole, under a name that tells its bytes. */
export async function storeMedia(paths: InstancePaths, name: string, bytes: string): Promise<void> {
  const dir = join(paths.content, mediaFolder, "2026");
  await mkdir(dir, { recursive: true });
  const hidden = join(dir, `.${name}`);
  await writeFile(hidden, bytes);
  await rename(hidden, join(dir, name));
}
