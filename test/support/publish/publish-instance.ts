import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import pino from "pino";
import type { Manifest } from "../../../packages/server/src/features/release/artifact/artifact.ts";
import {
  makePublisher,
  type Publisher,
  type PublisherDependencies,
  type PublishRequest,
} from "../../../packages/server/src/features/release/publish.ts";
import { applyChanges } from "../../../packages/server/src/features/projects/run-changes/publish-changes.ts";
import type { ReleaseSource } from "../../../packages/server/src/features/release/stage-release.ts";
import { initialRelease } from "../../../packages/server/src/features/release/current-symlink.ts";
import { actorIdentity } from "../../../packages/server/src/features/workspace/commit.ts";
import {
  type ContentRemote,
  makeRepository,
  type Repository,
} from "../../../packages/server/src/features/workspace/git.ts";
import { initRepository } from "../../../packages/server/src/features/workspace/init.ts";
import {
  createWorkspace,
  type Workspace,
} from "../../../packages/server/src/features/workspace/workspace.ts";
import { systemClock } from "../../../packages/server/src/kit/clock.ts";
import { type Database, openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { type InstancePaths, instancePaths } from "../../../packages/server/src/platform/paths.ts";
import { copyMigratedDatabase } from "../migrated-database.ts";
import { run } from "../../../packages/server/src/platform/process.ts";

/** A small content repository: one file per content path, and one stored media file. */
export const sampleContent: Record<string, string> = {
  "app/src/pages/index.astro": "<h1>Home 0</h1>\n",
  "app/src/pages/about.astro": "<h1>About</h1>\n",
  "app/public/robots.txt": "User-agent: *\n",
  "app/public/media/2026/a.jpg": "not a picture",
  "brand/voice.md": "Plain.\n",
  "database/changelog.json": "[]\n",
  "database/projects.json": "[]\n",
  "scripts/note.sh": "echo hello\n",
};

export async function writeFiles(dir: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
}

/** An artifact made from texts instead of a build, by file path. */
export async function makeArtifact(
  paths: InstancePaths,
  files: Record<string, string>,
): Promise<ReleaseSource> {
  const entries = Object.entries(files).map(([file, text]) => {
    const hash = createHash("sha256").update(text).digest("hex");
    return { file, hash, bytes: Buffer.byteLength(text), type: "text/plain", encodings: {} };
  });
  const sha = createHash("sha256").update(JSON.stringify(entries)).digest("hex");
  const dir = join(paths.artifacts, sha);
  await mkdir(dir, { recursive: true });
  await writeFiles(dir, files);
  const manifest: Manifest = {
    sha,
    pages: 1,
    bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    files: Object.fromEntries(entries.map((entry) => [`/${entry.file}`, entry])),
  };
  await writeFile(`${dir}.json`, JSON.stringify(manifest));
  return { sha, dir };
}

/** The artifact with a work tree's home page and a page for each project. */
export async function buildArtifact(
  paths: InstancePaths,
  dir: string,
  slugs: readonly string[] = [],
): Promise<ReleaseSource> {
  const home = await readFile(join(dir, "app/src/pages/index.astro"), "utf8");
  const about = await readFile(join(dir, "app/src/pages/about.astro"), "utf8");
  const projects = slugs.map((slug) => [`projects/${slug}/index.html`, `<h1>${slug}</h1>`]);
  return makeArtifact(paths, {
    ...Object.fromEntries(projects),
    "index.html": home,
    "about/index.html": `${home}${about}`,
    "_astro/style.css": `/* ${home} */`,
  });
}

export const silentLog = pino({ level: "silent" });

/** The database's side of a publish, for tests. */
export interface Recorded {
  published: { runId: string; commit: string; release: number }[];
  rolledBack: string[];
  changes: { title: string; commit: string }[];
}

export interface TestInstance {
  paths: InstancePaths;
  repository: Repository;
  database: Database;
  publisher: Publisher;
  recorded: Recorded;
  /** A run's workspace with these files. */
  workspace(runId: string, files?: Record<string, string>): Promise<Workspace>;
  /** A request to publish the workspace in its current state. */
  request(workspace: Workspace, more?: Partial<PublishRequest>): Promise<PublishRequest>;
  git(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Runs git like an owner, with the repository's own configuration. */
export async function handGit(dir: string, args: string[]): Promise<string> {
  const result = await run("git", args, {
    cwd: dir,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Owner",
      GIT_AUTHOR_EMAIL: "owner@example.com",
      GIT_COMMITTER_NAME: "Owner",
      GIT_COMMITTER_EMAIL: "owner@example.com",
    },
  });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr}`);
  return result.stdout;
}

/** Creates an instance with only content, a database, and a first release. */
export async function installInstance(dir: string, files = sampleContent): Promise<void> {
  const paths = instancePaths(dir);
  await writeFiles(paths.content, files);
  await mkdir(paths.data, { recursive: true });
  const repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log: silentLog,
  });
  await initRepository(repository, {
    author: actorIdentity("Vitrine"),
    at: Date.UTC(2026, 0, 1),
    message: "Begin\n",
  });
  repository.close();
  await copyMigratedDatabase(paths.database);
  await initialRelease(paths, await buildArtifact(paths, paths.content));
}

/** What an opened instance works with instead of its own SQLite file. */
export interface OpenedWith {
  database?: Database;
  remote?: ContentRemote;
}

/** Opens an installed instance. */
export function openInstance(
  dir: string,
  more: Partial<PublisherDependencies> = {},
  given: OpenedWith = {},
): TestInstance {
  const paths = instancePaths(dir);
  const log = more.log ?? silentLog;
  const repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log,
    remote: given.remote ?? null,
  });
  const database = given.database ?? openDatabase({ url: null, file: paths.database });
  const recorded: Recorded = { published: [], rolledBack: [], changes: [] };
  const publisher = makePublisher({
    db: database.db,
    repository,
    paths,
    clock: systemClock,
    log,
    hooks: {
      async onPublished(transaction, published) {
        await applyChanges(transaction, published.runId);
        recorded.published.push(published);
      },
      onRolledBack: async ({ runId }) => void recorded.rolledBack.push(runId),
    },
    addChange: async (_, { title, commit }) => void recorded.changes.push({ title, commit }),
    ...more,
  });
  return {
    paths,
    repository,
    database,
    publisher,
    recorded,
    async workspace(runId, files = {}) {
      const workspace = await createWorkspace(repository, runId);
      await writeFiles(workspace.dir, files);
      return workspace;
    },
    async request(workspace, request = {}) {
      const { runId } = workspace;
      return {
        runId,
        workspace,
        artifact: await buildArtifact(paths, workspace.dir),
        message: `Change by ${runId}`,
        actor: "Editor",
        trailers: { Run: runId, Actor: "Editor" },
        rebuild: (at) => buildArtifact(paths, at.dir),
        changelog: {
          kind: "content",
          title: `Change by ${runId}`,
          detail: "",
          at: "2026-01-02T00:00:00.000Z",
          actor: "Editor",
        },
        ...request,
      };
    },
    git: (...args) => handGit(paths.content, args),
    async close() {
      publisher.close();
      repository.close();
      await database.close();
    },
  };
}
