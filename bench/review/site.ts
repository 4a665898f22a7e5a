import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { seedChangelogFile } from "../../src/features/changelog/seed.ts";
import { importRecordsFile } from "../../src/features/projects/import.ts";
import { type BuildChecks, makeBuildChecks } from "../../src/features/qa/build/build-checks.ts";
import {
  type Artifact,
  BuildFailed,
  makeSiteBuilder,
} from "../../src/features/release/builder/build.ts";
import { exportSnapshot } from "../../src/features/release/export.ts";
import type { Snapshot } from "../../src/features/release/snapshot.ts";
import { initialRelease, releasePath } from "../../src/features/release/swap.ts";
import type { BuildReport } from "../../src/features/runs/schema.ts";
import { actorIdentity } from "../../src/features/workspace/commit.ts";
import { mediaFolder } from "../../src/features/workspace/content-paths.ts";
import type { FileDiff } from "../../src/features/workspace/diff.ts";
import { makeRepository, type Repository } from "../../src/features/workspace/git.ts";
import { initRepository } from "../../src/features/workspace/init.ts";
import {
  createWorkspace,
  removeWorkspace,
  workspaceDiff,
} from "../../src/features/workspace/workspace.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { sha256Hex } from "../../src/kit/hash.ts";
import type { Db } from "../../src/platform/db/connect.ts";
import { defaultLimits } from "../../src/platform/config.ts";
import { exists, removeTree } from "../../src/platform/files.ts";
import { type InstancePaths, instancePaths, platformRoot } from "../../src/platform/paths.ts";
import { makeTestDatabase } from "../../test/support/database.ts";
import { applyEdits, InvalidCase } from "./apply.ts";
import type { CaseSite, Edit, ReviewCase } from "./case.ts";
import { faults } from "./faulty-site.ts";
import { furniture } from "./furnished-site.ts";
import { type LoopBuilder, makeLoopBuilder } from "./loop-builder.ts";
import { storeUpload } from "./upload.ts";

export const baseUrl = "https://example.com";
const ownerName = "Mara Lindqvist";
const log = pino({ level: "silent" });
const template = join(platformRoot, "template");

/** What a case has made, as the queue hands it to the review. */
export interface PreparedCase {
  artifactSha: string;
  artifactDir: string;
  liveDir: string;
  files: FileDiff[];
  report: BuildReport | null;
}

/** A live site that cases change: a content repository and what was built of it. */
interface Origin {
  paths: InstancePaths;
  repository: Repository;
  sha: string;
  liveDir: string;
}

interface Builds {
  builder: LoopBuilder;
  check: BuildChecks;
  snapshot: Snapshot;
  mediaDir: string;
}

export interface ReviewSite {
  db: Db;
  /** Builds what a case makes of its site. Throws InvalidCase where there is nothing to judge. */
  prepare(one: ReviewCase): Promise<PreparedCase>;
  close(): Promise<void>;
}

async function layDown(dir: string, edits: readonly Edit[]): Promise<Origin> {
  const paths = instancePaths(dir);
  const leftOut = join(template, mediaFolder);
  await cp(template, paths.content, { recursive: true, filter: (path) => path !== leftOut });
  await mkdir(paths.data, { recursive: true });
  await applyEdits(paths.content, edits);
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  const author = actorIdentity(ownerName);
  await initRepository(repository, { author, at: Date.UTC(2026, 0, 1), message: "Begin\n" });
  return { paths, repository, sha: "", liveDir: "" };
}

/** Builds what is laid down and makes it the live release. */
async function release(origin: Origin, { builder, snapshot, mediaDir }: Builds): Promise<Origin> {
  const { paths } = origin;
  const artifact = await builder.build({
    sourceDir: paths.content,
    snapshot,
    mediaDir,
    tags: false,
  });
  const liveDir = releasePath(paths, await initialRelease(paths, artifact));
  return { ...origin, sha: artifact.sha, liveDir };
}

/** Builds a workspace. What the site's own content doesn't survive is no case for the review. */
async function buildCase(dir: string, { builder, snapshot, mediaDir }: Builds): Promise<Artifact> {
  try {
    return await builder.build({ sourceDir: dir, snapshot, mediaDir });
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    throw new InvalidCase(`it doesn’t build: ${error.errors.join("; ").slice(0, 400)}`);
  }
}

async function make(one: ReviewCase, origin: Origin, builds: Builds): Promise<PreparedCase> {
  const { repository, liveDir } = origin;
  const workspace = await createWorkspace(repository, one.id);
  try {
    await applyEdits(workspace.dir, one.edits);
    const { files } = await workspaceDiff(repository, workspace);
    const artifact = await buildCase(workspace.dir, builds);
    const signal = AbortSignal.timeout(120_000);
    const report = await builds.check({ artifactDir: artifact.dir, liveDir, signal });
    return { artifactSha: artifact.sha, artifactDir: artifact.dir, liveDir, files, report };
  } finally {
    await removeWorkspace(repository, one.id);
  }
}

async function openOrigins(dir: string, builds: Builds): Promise<Record<CaseSite, Origin>> {
  const open = async (name: CaseSite, edits: readonly Edit[]): Promise<Origin> => {
    await removeTree(join(dir, name));
    return release(await layDown(join(dir, name), edits), builds);
  };
  return {
    template: await open("template", []),
    faulty: await open("faulty", faults),
    furnished: await open("furnished", furniture),
  };
}

/** What was made of a case in an earlier call, where its folder is kept. */
function makeShelf(dir: string) {
  const folder = join(dir, "prepared");
  const fileOf = (one: ReviewCase, { sha }: Origin) =>
    join(folder, `${sha256Hex(JSON.stringify([sha, one.edits])).slice(0, 32)}.json`);
  return {
    async find(one: ReviewCase, origin: Origin): Promise<PreparedCase | null> {
      const text = await readFile(fileOf(one, origin), "utf8").catch(() => null);
      const kept = text === null ? null : (JSON.parse(text) as PreparedCase);
      return kept !== null && (await exists(kept.artifactDir)) ? kept : null;
    },
    async keep(one: ReviewCase, origin: Origin, prepared: PreparedCase): Promise<void> {
      await mkdir(folder, { recursive: true });
      await writeFile(fileOf(one, origin), JSON.stringify(prepared));
    },
  };
}

function assertToJudge(one: ReviewCase, { report, artifactSha }: PreparedCase, unchanged: string) {
  if (report !== null && report.blank.length > 0) {
    throw new InvalidCase(`there is nothing to see on ${report.blank.join(", ")}`);
  }
  if (artifactSha === unchanged && !one.sourceOnly) throw new InvalidCase("it changes no file");
}

/**
 * Opens the sample sites that cases change, in a folder that may be kept: what was built of a case there
 * is then used again.
 * @param options `sandbox`: builds as the queue does, in a sandbox of its own each; else all in one process
 */
export async function openReviewSite(
  dir: string,
  { sandbox = false }: { sandbox?: boolean } = {},
): Promise<ReviewSite> {
  const test = await makeTestDatabase();
  const { db } = test.database;
  const now = Date.UTC(2026, 10, 20);
  await importRecordsFile(db, { file: join(template, "database/projects.json"), now });
  await seedChangelogFile(db, {
    file: join(template, "database/changelog.json"),
    ownerName,
    now,
  });
  const owner = { name: ownerName, timeZone: "Europe/Stockholm" };
  const snapshot = await exportSnapshot(db, { baseUrl, owner });
  const main = join(dir, "template");
  const publicDir = join(dir, "public");
  const mediaDir = join(publicDir, "media");
  await removeTree(publicDir);
  await cp(join(template, mediaFolder), mediaDir, { recursive: true });
  const artifacts = join(dir, "artifacts");
  const { current } = instancePaths(main);
  await removeTree(join(dir, "loop"));
  const builder = sandbox
    ? await makeSiteBuilder({
        paths: { artifacts, builders: join(dir, "builders"), current },
        limits: defaultLimits.build,
        sandbox: "require",
        log,
        clock: systemClock,
      })
    : makeLoopBuilder(join(dir, "loop"), artifacts, current);
  const builds = {
    builder,
    snapshot,
    mediaDir,
    check: makeBuildChecks({ paths: { current }, log, baseUrl }),
  };
  const origins = await openOrigins(dir, builds);
  await storeUpload(db, publicDir);
  const shelf = makeShelf(dir);
  return {
    db,
    async prepare(one) {
      const origin = origins[one.site ?? "template"];
      const kept = await shelf.find(one, origin);
      const prepared = kept ?? (await make(one, origin, builds));
      if (kept === null) await shelf.keep(one, origin, prepared);
      assertToJudge(one, prepared, origin.sha);
      return prepared;
    },
    async close() {
      await builder.close();
      for (const { repository } of Object.values(origins)) repository.close();
      await test.cleanup();
    },
  };
}
