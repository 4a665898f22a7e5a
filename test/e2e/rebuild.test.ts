import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedChangelogFile } from "../../packages/server/src/features/changelog/seed.ts";
import { exportRecords } from "../../packages/server/src/features/projects/export.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import {
  type Artifact,
  makeSiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { exportSnapshot } from "../../packages/server/src/features/release/export.ts";
import { requestRebuild } from "../../packages/server/src/features/release/rebuild-requests.ts";
import {
  initialRelease,
  liveRelease,
} from "../../packages/server/src/features/release/current-symlink.ts";
import { mediaFolder } from "../../packages/server/src/features/workspace/content-paths.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { type Database, openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { type InstancePaths, instancePaths } from "../../packages/server/src/platform/paths.ts";
import {
  handGit,
  openInstance,
  silentLog as log,
  type TestInstance,
} from "../support/publish/publish-instance.ts";
import { sampleRebuilder, storeMedia } from "../support/publish/rebuilding.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { copyTemplate } from "../support/template.ts";

const owner = { name: "Ada", timeZone: "Europe/Stockholm" };
const baseUrl = "https://example.com";

let folder: TempFolder;
let instance: TestInstance;

const siteBuilder = (paths: InstancePaths) => {
  const options = {
    limits: { ...defaultLimits.build, warm: false, shareImages: 0 },
    sandbox: "auto",
    log,
    clock: systemClock,
  } as const;
  return makeSiteBuilder({ ...options, paths });
};

const snapshotOf = ({ db }: Database, seed: string | null = null) =>
  exportSnapshot(db, { baseUrl, owner }, { seed });

/** Fills a fresh database with nothing but what a content folder holds. */
async function importContent(database: Database, contentDir: string): Promise<void> {
  const now = Date.UTC(2026, 0, 1);
  await migrate({ database, now });
  const records = join(contentDir, "database");
  await importRecordsFile(database.db, { file: join(records, "projects.json"), now });
  const seed = { file: join(records, "changelog.json"), ownerName: owner.name, now };
  await seedChangelogFile(database.db, seed);
}

async function buildContent(paths: InstancePaths, database: Database): Promise<Artifact> {
  const builder = await siteBuilder(paths);
  const snapshot = await snapshotOf(database);
  const mediaDir = join(paths.content, mediaFolder);
  const artifact = await builder.build({ sourceDir: paths.content, snapshot, mediaDir });
  await builder.close();
  return artifact;
}

beforeAll(async () => {
  folder = await tempFolder();
  const paths = instancePaths(folder.path);
  await copyTemplate(paths.content);
  await mkdir(paths.data, { recursive: true });
  instance = openInstance(folder.path);
  const author = { name: "Ada", email: "ada@example.com" };
  await initRepository(instance.repository, { author, at: 0, message: "Begin\n" });
  await importContent(instance.database, paths.content);
  await initialRelease(paths, await buildContent(paths, instance.database));
});

afterAll(async () => {
  await instance?.close();
  await folder?.remove();
});

test("a save goes live with a real build, and the repository alone can build the same site again", async () => {
  const { paths, database } = instance;
  const { db } = database;
  const builder = await siteBuilder(paths);
  const rebuilder = sampleRebuilder(instance, builder, {
    records: async (seed) => ({
      snapshot: await snapshotOf(database, seed),
      withheld: new Set(),
    }),
    exportRecords: () => exportRecords(db),
  });
  await storeMedia(paths, "0123456789ab-new-picture.webp", "a picture that nothing shows yet");
  await db.transaction().execute(async (transaction) => {
    await sql`update project set name = 'A wholly new name', updated_at = '2026-02-03T04:05:06.789Z' where slug = 'return-shelf'`.execute(
      transaction,
    );
    await requestRebuild(transaction, { reason: "a project was saved", now: Date.now() });
  });
  expect(await rebuilder.runOnce()).toBe("done");
  const page = await readFile(join(paths.current, "projects/return-shelf/index.html"), "utf8");
  expect(/<h1[^>]*>A wholly new name<\/h1>/.test(page)).toBe(true);
  expect(await instance.git("status", "--porcelain", "--untracked-files=all")).toBe("");
  await rebuilder.close();
  await builder.close();

  const restored = instancePaths(join(folder.path, "restored"));
  await mkdir(restored.data, { recursive: true });
  await handGit(folder.path, ["clone", "--quiet", paths.content, restored.content]);
  const fresh = openDatabase({ url: null, file: restored.database });
  await importContent(fresh, restored.content);
  expect(await exportRecords(fresh.db)).toBe(await exportRecords(db));
  const again = await buildContent(restored, fresh);
  await fresh.close();
  expect(again.sha).toBe((await liveRelease(paths))?.sha);
});
