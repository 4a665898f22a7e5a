import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Database } from "../../platform/db/connect.ts";
import { dumpPostgres, dumpSqlite } from "../../platform/db/dump.ts";
import { exists, undefinedIfMissing } from "../../platform/files.ts";
import { importFolder } from "../portability/import/cleanup.ts";
import { startedFile } from "../portability/import/media.ts";
import { currentRelease } from "../release/current-symlink.ts";
import { originalsFolder } from "../media/library/files.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import { isBackedUpGitEntry, namesOtherObjects } from "./backup-path.ts";
import { names } from "./manifest.ts";
import { openSharedState, type SharedState } from "./shared-state.ts";
import { type Staging, stageFolder, stageFile } from "./staging.ts";
import { countOpenRuns, readAppliedMigrations } from "./store.ts";
import type { BackupHead } from "./manifest.ts";

/** How long to wait for a publish, in ms; one that rebuilds takes a while. */
const lockTimeoutMs = 120_000;

const git = "content/.git";
const objects = `${git}/objects`;
const media = `content/${mediaFolder}`;

/** What was collected, besides the files. */
export interface Snapshot extends Pick<BackupHead, "database" | "migrations" | "release"> {
  openRuns: number;
}

/**
 * Whether a stored file is complete: until then, it has another name, or is in a folder that has. Such a
 * file still grows, which a backup would report as a change.
 */
const isFinished = (path: string) => !/\.(?:part|tmp)(?:\/|$)|\/\.(?!git)[^/]*$/.test(path);

/** Without them, the backup would be incomplete, and with them, it could be refused. */
function otherObjectsError(): AppError {
  const message =
    "The repository in content/ uses objects of another one. Copy them with `git repack -a -d`, delete .git/objects/info/alternates, and try again.";
  return new AppError("invalid_state", message);
}

/** Files that git and the media library write once and never change. */
async function takeImmutable(staging: Staging, { paths }: Config): Promise<void> {
  const wants = (path: string) => {
    if (namesOtherObjects(path)) throw otherObjectsError();
    return !/\/tmp_[^/]*$/.test(path);
  };
  const from = join(paths.content, ".git/objects");
  await stageFolder(staging, from, { path: objects, immutable: true, includes: wants });
  await stageFolder(staging, join(paths.content, mediaFolder), {
    path: media,
    immutable: true,
    includes: isFinished,
  });
}

/** The rest of content/, including uncommitted manual edits. */
async function takeContent(staging: Staging, { paths }: Config): Promise<void> {
  const wants = (path: string) => {
    if (path === objects || path === media) return false;
    if (!path.startsWith(`${git}/`)) return true;
    return (
      isBackedUpGitEntry(path.slice(git.length + 1).split("/")[0] ?? "") && !path.endsWith(".lock")
    );
  };
  await stageFolder(staging, paths.content, { path: "content", includes: wants });
}

/** The live release, and the state of a killed publish to be completed. */
async function takeReleases(staging: Staging, { paths }: Config): Promise<number | null> {
  const release = await currentRelease(paths);
  const wants = (path: string) => {
    const [, , name = ""] = path.split("/");
    return name.startsWith(".staging-") || Number.parseInt(name) >= (release ?? 1);
  };
  await stageFolder(staging, paths.releases, {
    path: "data/releases",
    immutable: true,
    includes: wants,
  });
  return release;
}

async function takeDatabase(
  { dir, signal }: Staging,
  { databaseUrl }: Config,
  { db, dialect }: Database,
): Promise<void> {
  if (databaseUrl === null || dialect === "sqlite") {
    return dumpSqlite(db, join(dir, "data/vitrine.db"));
  }
  await dumpPostgres(databaseUrl, join(dir, names.dump), signal);
}

/** The state of an import in progress: at startup, it is undone if the rows don't show its end. */
async function takeImport(staging: Staging, { paths }: Config): Promise<void> {
  const file = startedFile(importFolder(paths.data));
  if (await exists(file)) await stageFile(staging, file, names.begun);
}

/** Throws unless the essential files were found. */
async function assertWhole({ dir }: Staging): Promise<void> {
  for (const path of [
    "vitrine.json",
    "data/install.lock",
    "data/keys/settings.key",
    `${git}/HEAD`,
  ]) {
    if ((await undefinedIfMissing(lstat(join(dir, path)))) !== undefined) continue;
    throw new AppError(
      "unavailable",
      `The instance has no ${path}, so there is nothing to back up.`,
    );
  }
}

/** Collects what has to be from one moment, between two publishes. */
async function takeMoment(staging: Staging, config: Config, database: Database): Promise<Snapshot> {
  await takeContent(staging, config);
  const release = await takeReleases(staging, config);
  const migrations = await readAppliedMigrations(database.db);
  const openRuns = await countOpenRuns(database.db);
  // Before the rows for an import that ends now, after them for one that begins.
  await takeImport(staging, config);
  await takeDatabase(staging, config, database);
  await takeImport(staging, config);
  return { database: database.dialect, migrations, release, openRuns };
}

async function takeAll(
  staging: Staging,
  { config, database, state }: { config: Config; database: Database; state: SharedState },
): Promise<Snapshot> {
  const { paths } = config;
  await mkdir(join(staging.dir, "data"), { recursive: true });
  await state.updateFiles();
  await takeImmutable(staging, config);
  const moment = async () => {
    await state.update();
    const snapshot = await takeMoment(staging, config, database);
    await state.assertUnmoved();
    return snapshot;
  };
  const taken = await state.lock.run(moment, { waitMs: lockTimeoutMs, signal: staging.signal });
  await state.updateFiles();
  await takeImmutable(staging, config);
  // After the rows, so that the file contains every key that encrypts one of them.
  await stageFolder(staging, paths.keys, {
    path: "data/keys",
    includes: (path) => !path.endsWith(".tmp"),
  });
  const finished = { includes: isFinished };
  await stageFolder(staging, paths.references, { path: "data/references", ...finished });
  const originals = join(paths.data, originalsFolder);
  await stageFolder(staging, originals, { path: `data/${originalsFolder}`, ...finished });
  await stageFile(staging, paths.configFile, "vitrine.json");
  await stageFile(staging, paths.installLock, "data/install.lock");
  await assertWhole(staging);
  return taken;
}

/**
 * Collects everything that an instance needs in a folder, while it runs. Rows, `main`, and the live
 * release are from the same moment between two publishes. Files that never change are collected
 * before and after, so that nobody waits for gigabytes and every row has its file. What other nodes have
 * stored is got first. Throws `locked` if a publish takes longer than two minutes, or if another node has
 * published because this one has lost its lock.
 */
export async function takeSnapshot(
  staging: Staging,
  config: Config,
  database: Database,
  state = openSharedState(config, database.db),
): Promise<Snapshot> {
  try {
    return await takeAll(staging, { config, database, state });
  } finally {
    await state.close();
  }
}
