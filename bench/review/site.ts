import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { seedChangelogFile } from "../../packages/server/src/features/changelog/seed.ts";
import { importRecordsFile } from "../../packages/server/src/features/projects/import.ts";
import {
  type BuildChecks,
  makeBuildChecks,
} from "../../packages/server/src/features/qa/build/build-checks.ts";
import {
  type Artifact,
  BuildFailed,
  makeSiteBuilder,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import { recordsHash } from "../../packages/server/src/features/release/snapshot.ts";
import {
  initialRelease,
  releasePath,
} from "../../packages/server/src/features/release/current-symlink.ts";
import { makeWorkspaceBuilder } from "../../packages/server/src/features/runs/workspace-builder.ts";
import {
  makeRunChange,
  commitSubject,
  type RunChange,
} from "../../packages/server/src/features/runs/run-change.ts";
import type { BuildReport } from "../../packages/server/src/features/runs/schema.ts";
import { actorIdentity } from "../../packages/server/src/features/workspace/commit.ts";
import { mediaFolder } from "../../packages/server/src/features/workspace/content-paths.ts";
import { diffTrees, type FileDiff } from "../../packages/server/src/features/workspace/diff.ts";
import {
  makeRepository,
  type Repository,
} from "../../packages/server/src/features/workspace/git.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import {
  createWorkspace,
  removeWorkspace,
  treeId,
  type Workspace,
} from "../../packages/server/src/features/workspace/workspace.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { exists, writeFileAtomic } from "../../packages/server/src/platform/files.ts";
import {
  type InstancePaths,
  instancePaths,
  platformRoot,
} from "../../packages/server/src/platform/paths.ts";
import { makeTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { applyEdits, InvalidCase } from "./apply.ts";
import type { AgentMessages, CaseSite, Edit, ReviewCase } from "./case.ts";
import { faults } from "./faulty-site.ts";
import { siteAdditions } from "./extended-site.ts";
import { makeLoopBuilder } from "./loop-builder.ts";
import { storeUpload } from "./upload.ts";

export const baseUrl = "https://example.com";
const ownerName = "Mara Lindqvist";
const log = pino({ level: "silent" });
const template = join(platformRoot, "packages/template");

/** The result of a case, as the queue passes it to the review. */
export interface PreparedCase {
  artifactSha: string;
  artifactDir: string;
  liveDir: string;
  mediaDir: string;
  files: FileDiff[];
  entry: RunChange;
  /** The result of the preview's checks. */
  check(): Promise<BuildReport>;
}

/** The part of a result that is stored. */
type StoredCase = Pick<PreparedCase, "artifactSha" | "files" | "entry">;

/** A live site that cases change: a content repository and its build. */
interface Origin {
  paths: InstancePaths;
  repository: Repository;
  sha: string;
  liveDir: string;
}

interface Builds {
  db: Db;
  builder: SiteBuilder;
  check: BuildChecks;
  artifacts: string;
  mediaDir: string;
}

export interface ReviewSite {
  db: Db;
  /**
   * Builds the result of a case.
   * @throws InvalidCase if there is nothing to review
   */
  prepare(one: ReviewCase): Promise<PreparedCase>;
  close(): Promise<void>;
}

const facts = { baseUrl, owner: { name: ownerName, timeZone: "Europe/Stockholm" } };
const plainWords: AgentMessages = {
  summary: "Did what was asked.",
  commit: "Change what was asked for",
};
/** The start of every run in this benchmark: the same input gives the same site. */
const runAt = "2026-11-23T09:00:00.000Z";

async function layDown(dir: string, edits: readonly Edit[]): Promise<Origin> {
  const paths = instancePaths(dir);
  const leftOut = new Set([join(template, mediaFolder), join(template, "package.json")]);
  const filter = (path: string) => !leftOut.has(path);
  await cp(template, paths.content, { recursive: true, filter });
  await mkdir(paths.data, { recursive: true });
  await applyEdits(paths.content, edits);
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  const author = actorIdentity(ownerName);
  await initRepository(repository, { author, at: Date.UTC(2026, 0, 1), message: "Begin\n" });
  return { paths, repository, sha: "", liveDir: "" };
}

/** Builds the content, unless an earlier call did, and makes it the live release. */
async function release(origin: Origin, builds: Builds): Promise<Origin> {
  const { db, builder, mediaDir, artifacts } = builds;
  const { paths, repository } = origin;
  const records = await exportSite(db, facts);
  const tree = (await repository.git(["rev-parse", "main^{tree}"])).stdout.trim();
  const mark = join(artifacts, `origin-${tree}-${recordsHash(records)}`);
  const kept = await readFile(mark, "utf8").catch(() => null);
  const sha = kept ?? (await builder.build({ sourceDir: paths.content, ...records, mediaDir })).sha;
  if (kept === null) await writeFileAtomic(mark, sha);
  const live = await initialRelease(paths, { sha, dir: join(artifacts, sha) });
  return { ...origin, sha, liveDir: releasePath(paths, live) };
}

/** Builds a run's workspace with its changelog entry. If the build fails, the case is invalid. */
async function buildRun(
  { repository }: Origin,
  { db, builder, mediaDir }: Builds,
  run: { workspace: Workspace; tree: string; change: RunChange },
): Promise<Artifact> {
  const records = (seed: string | null) => exportSite(db, facts, { seed });
  const gate = makeWorkspaceBuilder({ db, builder, repository, exportRecords: records, mediaDir });
  try {
    return (await gate.build(run)).artifact;
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    throw new InvalidCase(`it doesn’t build: ${error.errors.join("; ").slice(0, 400)}`);
  }
}

async function make(one: ReviewCase, origin: Origin, builds: Builds): Promise<StoredCase> {
  const { repository } = origin;
  const workspace = await createWorkspace(repository, one.id);
  try {
    await applyEdits(workspace.dir, one.edits);
    const tree = await treeId(repository, workspace);
    const files = await diffTrees(repository, workspace.baseCommit, tree);
    const { summary, commit } = one.messages ?? plainWords;
    const message = commitSubject(commit, files);
    const entry = makeRunChange({ files, message, summary, at: runAt, actor: "Editor" });
    const artifact = await buildRun(origin, builds, { workspace, tree, change: entry });
    return { artifactSha: artifact.sha, files, entry };
  } finally {
    await removeWorkspace(repository, one.id);
  }
}

async function openOrigins(dir: string, builds: Builds): Promise<Record<CaseSite, Origin>> {
  const open = async (name: CaseSite, edits: readonly Edit[]): Promise<Origin> => {
    return release(await layDown(join(dir, name), edits), builds);
  };
  return {
    template: await open("template", []),
    faulty: await open("faulty", faults),
    furnished: await open("furnished", siteAdditions),
  };
}

/** The stored results of cases from earlier calls, if a folder is kept. */
function makeShelf(folder: string, artifacts: string) {
  const fileOf = (one: ReviewCase, { sha }: Origin) =>
    join(folder, `${sha256Hex(JSON.stringify([sha, one.edits, one.messages])).slice(0, 32)}.json`);
  return {
    async find(one: ReviewCase, origin: Origin): Promise<StoredCase | null> {
      const text = await readFile(fileOf(one, origin), "utf8").catch(() => null);
      const kept = text === null ? null : (JSON.parse(text) as StoredCase);
      return kept !== null && (await exists(join(artifacts, kept.artifactSha))) ? kept : null;
    },
    async keep(one: ReviewCase, origin: Origin, made: StoredCase): Promise<void> {
      await mkdir(folder, { recursive: true });
      await writeFileAtomic(fileOf(one, origin), JSON.stringify(made));
    },
  };
}

/** The sample records, and an uploaded image. */
async function openRecords(): Promise<TestDatabase> {
  const test = await makeTestDatabase();
  const { db } = test.database;
  const now = Date.UTC(2026, 10, 20);
  await importRecordsFile(db, { file: join(template, "database/projects.json"), now });
  const file = join(template, "database/changelog.json");
  await seedChangelogFile(db, { file, ownerName, now });
  return test;
}

export interface ReviewSiteOptions {
  /** A folder to keep: builds in it are reused. */
  keep?: string | undefined;
  /** Builds each case in its own sandbox, as the queue does; otherwise all in one process. */
  sandbox?: boolean | undefined;
}

async function openBuilder(dir: string, artifacts: string, sandbox: boolean) {
  const { current } = instancePaths(join(dir, "template"));
  if (!sandbox) return makeLoopBuilder(join(dir, "loop"), artifacts, current);
  return makeSiteBuilder({
    paths: {
      artifacts,
      builders: join(dir, "builders"),
      compiledSites: join(dir, "compiled"),
      current,
    },
    limits: defaultLimits.build,
    sandbox: "require",
    log,
    clock: systemClock,
  });
}

/** Opens the sample sites that cases change, below the folder `dir`. */
export async function openReviewSite(
  dir: string,
  { keep = dir, sandbox = false }: ReviewSiteOptions = {},
): Promise<ReviewSite> {
  const test = await openRecords();
  const { db } = test.database;
  const publicDir = join(dir, "public");
  const mediaDir = join(publicDir, "media");
  await cp(join(template, mediaFolder), mediaDir, { recursive: true });
  const artifacts = join(keep, "artifacts");
  const { current } = instancePaths(join(dir, "template"));
  const builder = await openBuilder(dir, artifacts, sandbox);
  const check = makeBuildChecks({ paths: { current }, log, baseUrl });
  const builds = { db, builder, check, artifacts, mediaDir };
  const origins = await openOrigins(dir, builds);
  await storeUpload(db, publicDir);
  const shelf = makeShelf(join(keep, "prepared"), artifacts);
  return {
    db,
    async prepare(one) {
      const origin = origins[one.site ?? "template"];
      const kept = await shelf.find(one, origin);
      const made = kept ?? (await make(one, origin, builds));
      if (kept === null) await shelf.keep(one, origin, made);
      const { liveDir } = origin;
      const artifactDir = join(artifacts, made.artifactSha);
      const signal = AbortSignal.timeout(300_000);
      return {
        ...made,
        artifactDir,
        liveDir,
        mediaDir,
        check: () => check({ artifactDir, liveDir, signal }),
      };
    },
    async close() {
      await builder.close();
      for (const { repository } of Object.values(origins)) repository.close();
      await test.cleanup();
    },
  };
}
