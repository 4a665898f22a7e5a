/** A site with many projects, as the programs that measure it need it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { makeSiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { readSeedFile } from "../../packages/server/src/features/changelog/seed-file.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import { requestRebuild } from "../../packages/server/src/features/release/rebuild-requests.ts";
import { makePublisher } from "../../packages/server/src/features/release/publish.ts";
import { makeRebuilder } from "../../packages/server/src/features/release/rebuild.ts";
import { initialRelease } from "../../packages/server/src/features/release/current-symlink.ts";
import { exportRecords } from "../../packages/server/src/features/projects/export.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import { actorIdentity } from "../../packages/server/src/features/workspace/commit.ts";
import { mediaFolder } from "../../packages/server/src/features/workspace/content-paths.ts";
import { makeRepository } from "../../packages/server/src/features/workspace/git.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { seedProjects } from "./seed.ts";
import { copyTemplate } from "../../test/support/template.ts";

export const baseUrl = "https://example.com";
const owner = { name: "Ada", timeZone: "UTC" };

/** Waits until earlier work is written to disk, so that it doesn't affect the next measurement. */
export async function settle(): Promise<void> {
  await run("sync", []);
}

export type Steps = Map<string, number[]>;

const layout = "app/src/layouts/Page.astro";
const charset = '<meta charset="utf-8" />';

/** An instance with the template's content, its records and `size` more projects, and a release. */
export async function openSite(
  dir: string,
  size: number,
  { steps = new Map(), url = null }: { steps?: Steps; url?: string | null } = {},
) {
  const paths = instancePaths(dir);
  const log = pino({ level: "warn" });
  await copyTemplate(paths.content);
  await mkdir(paths.data, { recursive: true });
  const repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log,
  });
  const author = actorIdentity("Vitrine");
  await initRepository(repository, { author, at: Date.now(), message: "Begin\n" });
  const database = openDatabase({ url, file: paths.database });
  await migrate({ database, now: Date.now() });
  const { db } = database;
  const file = join(paths.content, "database/projects.json");
  await importRecordsFile(db, { file, now: Date.now() });
  await seedProjects(db, size);
  const builder = await makeSiteBuilder({
    paths,
    // The first build draws all share images: a site of this size has them for long.
    limits: { ...defaultLimits.build, shareImages: size + 100, seconds: 1800 },
    sandbox: "auto",
    log,
    clock: systemClock,
  });
  let last = 0;
  const onStep = (name: string) => {
    const now = performance.now();
    const times = steps.get(name) ?? [];
    steps.set(name, [...times, now - last]);
    last = now;
  };
  const records = (seed: string | null) => exportSite(db, { baseUrl, owner }, { seed });
  const mediaDir = join(paths.content, mediaFolder);
  const first = {
    sourceDir: paths.content,
    ...(await records(await readSeedFile(join(paths.content, "database/changelog.json")))),
    mediaDir,
    isInBackground: true,
  };
  await initialRelease(paths, await builder.build(first));
  const publisher = makePublisher({
    db,
    repository,
    paths,
    clock: systemClock,
    log,
    hooks: { onPublished: async () => {}, onRolledBack: async () => {} },
    addChange: async () => {},
    onStep,
  });
  const rebuilder = makeRebuilder({
    db,
    repository,
    publisher,
    paths,
    builder,
    clock: systemClock,
    log,
    records,
    exportRecords: () => exportRecords(db),
    mediaDir,
    ownerName: owner.name,
    debounceMs: 0,
    onStep,
  });

  /** Lets the site follow a request, until a page has the text. */
  async function follow(text: string): Promise<void> {
    last = performance.now();
    const outcome = await rebuilder.runOnce();
    const page = await readFile(join(paths.current, "projects/seeded-0/index.html"), "utf8");
    if (outcome === "done" && page.includes(text)) return;
    throw new Error(`The change is not live: ${JSON.stringify(await rebuilder.state())}`);
  }

  return {
    paths,
    builder,
    records,
    /** Saves one project; the returned function lets the site follow. */
    async saveRecord(round: number): Promise<() => Promise<void>> {
      const text = `Saved in round ${round}`;
      await db.transaction().execute(async (transaction) => {
        await sql`update project set summary = ${text} where slug = 'seeded-0'`.execute(
          transaction,
        );
        await requestRebuild(transaction, { reason: "a project was saved", now: Date.now() });
      });
      return () => follow(text);
    },
    /** Changes every page in the repository, so that no page and no code can be used again. */
    async changeLayout(round: number): Promise<() => Promise<void>> {
      const page = join(paths.content, layout);
      const source = (await readFile(page, "utf8")).replace(/<meta name="round".*?>/, "");
      const mark = `<meta name="round" content="${round}" />`;
      await writeFile(page, source.replace(charset, `${charset}${mark}`));
      const git = ["-C", paths.content, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
      const commit = await run("git", [...git, "commit", "-q", "-a", "-m", "Change every page"]);
      if (commit.exitCode !== 0) throw new Error(commit.stderr);
      await requestRebuild(db, { reason: "every page was changed", now: Date.now() });
      return () => follow(`content="${round}"`);
    },
    async close() {
      await rebuilder.close();
      await builder.close();
      publisher.close();
      repository.close();
      await database.close();
    },
  };
}

export type Site = Awaited<ReturnType<typeof openSite>>;
